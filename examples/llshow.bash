# Completion of llshow for bash: source it, or install it as
# share/bash-completion/completions/llshow.
_llshow() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local options='--shape --view --as --bits --target --bytes --op --frame
        --lang --name --conflicts --width --cycles --help'
    case $before in
    --view) set -- tensor hardware matrix all ;;
    --as) set -- text colour svg csv ;;
    --op) set -- read write ;;
    --lang) set -- c rust python json ;;
    --bits) set -- 8 16 32 64 128 ;;
    --target) set -- sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120 gfx908 \
        gfx90a gfx942 gfx950 gfx1100 gfx1100w64 gfx1201 ;;
    llshow) set -- convert banks table check --help ;;
    *) set -- $options ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$word")
}
complete -F _llshow llshow
