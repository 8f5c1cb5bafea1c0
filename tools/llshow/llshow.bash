# Bash completion for llshow. Source this file, or install it as
# share/bash-completion/completions/llshow.
_llshow() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local options='--shape --view --as --bits --target --bytes --op --frame
        --lang --name --conflicts --width --cycles --at --help --version'
    case $before in
    --view) set -- tensor hardware matrix all ;;
    --as) set -- text colour color svg csv ;;
    --frame) set -- all ;;
    --op) set -- read write ;;
    --lang) set -- c rust python json ;;
    --bits) set -- 4 6 8 16 32 64 128 ;;
    --bytes) set -- 1 2 4 8 16 ;;
    --shape | --name | --conflicts | --width | --cycles | --at) set -- ;;
    --target) set -- sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_103 \
        sm_110 sm_120 sm_121 gfx908 gfx90a gfx942 gfx950 gfx1100 gfx1100w64 \
        gfx1151 gfx1200 gfx1201 gfx1201w64 ;;
    *) if ((COMP_CWORD == 1)) && [[ $word != -* ]]; then
           set -- convert banks table check
       elif [[ $word == @* ]]; then
           mapfile -t COMPREPLY < <(compgen -P @ -f -- "${word#@}")
           return
       else
           set -- $options
       fi ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$word")
}
complete -F _llshow llshow
