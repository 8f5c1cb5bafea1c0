/* nccl.h - the NCCL calls that reshard_nccl.h makes, between processes that
 * each emulate a GPU. Messages pass through shared memory, those between two
 * ranks in their order, and a group is complete when its last call returns.
 * SPDX-License-Identifier: MIT
 */
#ifndef EMU_NCCL_H
#define EMU_NCCL_H

#include <atomic>
#include <chrono>
#include <cuda_runtime.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

enum ncclResult_t { ncclSuccess, ncclSystemError, ncclInvalidUsage };
enum ncclDataType_t { ncclUint8, ncclUint64 };
enum { EMU_NCCL_RANKS = 8, EMU_NCCL_BOX = 1 << 16, EMU_NCCL_MS = 4000 };
#define NCCL_VERSION_CODE 22809
#define NCCL_WIN_COLL_SYMMETRIC 1
enum { EMU_NCCL_MEMORY = 1 << 25 }; /* bytes of ncclMemAlloc of a rank */

/* One mailbox per pair of ranks; the sender fills it. */
struct emu_nccl_shared {
    std::atomic<unsigned> broken;
    struct box {
        std::atomic<unsigned> full;
        unsigned char data[EMU_NCCL_BOX];
    } box[EMU_NCCL_RANKS][EMU_NCCL_RANKS];
    alignas(128) unsigned char memory[EMU_NCCL_RANKS][EMU_NCCL_MEMORY];
};

struct ncclUniqueId {
    emu_nccl_shared *shared;
};

/* A message of a group, and how much of it is left. */
struct emu_nccl_message {
    bool sends;
    unsigned char *data;
    size_t left;
    int peer;
};

struct emu_nccl_comm {
    emu_nccl_shared *shared;
    int ranks, rank;
    std::vector<emu_nccl_message> group;
    int lsa_ranks; /* of ncclTeamLsa */
    size_t used;   /* bytes of this rank's memory */
    std::vector<size_t> starts; /* what is allocated there */
};
typedef emu_nccl_comm *ncclComm_t;

/* The addresses of all ranks' memory, in this rank's memory. */
struct emu_nccl_window {
    unsigned char *base[EMU_NCCL_RANKS];
};
typedef emu_nccl_window *ncclWindow_t;

struct ncclTeam_t {
    int nRanks, rank, stride;
};

static emu_nccl_comm *emu_nccl_last;
static bool emu_nccl_grouped;

/* Call it before the processes fork. */
static inline ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
    void *const p = mmap(NULL, sizeof *id->shared, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    id->shared = (emu_nccl_shared *)p;
    return p == MAP_FAILED ? ncclSystemError : ncclSuccess;
}

static inline ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks,
                                            ncclUniqueId id, int rank) {
    *comm = new emu_nccl_comm{id.shared, ranks, rank, {}, ranks, 0, {}};
    emu_nccl_last = *comm;
    return ranks <= EMU_NCCL_RANKS ? ncclSuccess : ncclInvalidUsage;
}

/* Returns whether no earlier message of the group goes the same way. */
static inline bool emu_nccl_is_next(const emu_nccl_comm *c,
                                    const emu_nccl_message &m) {
    for (const emu_nccl_message &e : c->group) {
        if (e.sends == m.sends && e.peer == m.peer && e.left) {
            return &e == &m;
        }
    }
    return false;
}

/* Moves part of a message if the mailbox allows it. Returns whether it did. */
static inline bool emu_nccl_step(emu_nccl_comm *c, emu_nccl_message &m) {
    auto &b = m.sends ? c->shared->box[c->rank][m.peer]
                      : c->shared->box[m.peer][c->rank];
    const size_t n = m.left < EMU_NCCL_BOX ? m.left : (size_t)EMU_NCCL_BOX;
    if (!emu_nccl_is_next(c, m) || b.full.load() == (m.sends ? 1u : 0u)) {
        return false;
    }
    if (m.sends) {
        cudaMemcpy(b.data, m.data, n, cudaMemcpyDeviceToHost);
    } else {
        cudaMemcpy(m.data, b.data, n, cudaMemcpyHostToDevice);
    }
    b.full.store(m.sends);
    m.data += n;
    m.left -= n;
    return true;
}

static inline ncclResult_t ncclGroupStart() {
    emu_nccl_grouped = true;
    return ncclSuccess;
}

static inline ncclResult_t ncclGroupEnd() {
    emu_nccl_comm *const c = emu_nccl_last;
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds((int)EMU_NCCL_MS);
    bool left = true;
    emu_nccl_grouped = false;
    while (left && !c->shared->broken) {
        bool moved = false;
        left = false;
        for (emu_nccl_message &m : c->group) {
            moved = emu_nccl_step(c, m) || moved;
            left = left || m.left;
        }
        if (!moved && std::chrono::steady_clock::now() > end) {
            c->shared->broken = 1;
        } else if (!moved) {
            usleep(20);
        }
    }
    c->group.clear();
    return left ? ncclSystemError : ncclSuccess;
}

static inline ncclResult_t emu_nccl_adds(emu_nccl_comm *c, bool sends,
                                         const void *data, size_t bytes,
                                         int peer) {
    c->group.push_back({sends, (unsigned char *)(size_t)data, bytes, peer});
    return emu_nccl_grouped ? ncclSuccess : ncclGroupEnd();
}

static inline ncclResult_t ncclSend(const void *data, size_t n,
                                    ncclDataType_t type, int peer,
                                    ncclComm_t c, cudaStream_t) {
    return emu_nccl_adds(c, true, data, n * (type == ncclUint64 ? 8 : 1), peer);
}

static inline ncclResult_t ncclRecv(void *data, size_t n, ncclDataType_t type,
                                    int peer, ncclComm_t c, cudaStream_t) {
    return emu_nccl_adds(c, false, data, n * (type == ncclUint64 ? 8 : 1),
                         peer);
}

static inline ncclResult_t ncclAllGather(const void *one, void *all, size_t n,
                                         ncclDataType_t type, ncclComm_t c,
                                         cudaStream_t s) {
    const size_t bytes = n * (type == ncclUint64 ? 8 : 1);
    ncclGroupStart();
    for (int r = 0; r < c->ranks; ++r) {
        if (r != c->rank) {
            ncclSend(one, bytes, ncclUint8, r, c, s);
            ncclRecv((char *)all + (size_t)r * bytes, bytes, ncclUint8, r, c,
                     s);
        }
    }
    cudaMemcpy((char *)all + (size_t)c->rank * bytes, one, bytes,
               cudaMemcpyDeviceToDevice);
    return ncclGroupEnd();
}

static inline ncclResult_t ncclGetVersion(int *version) {
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

/* Memory in the order of its allocation; only the last is used again. */
static inline ncclResult_t ncclMemAlloc(void **p, size_t bytes) {
    emu_nccl_comm *const c = emu_nccl_last;
    const size_t whole = (bytes + 127) / 128 * 128;
    if (!c || whole > (size_t)EMU_NCCL_MEMORY - c->used) {
        return ncclSystemError;
    }
    *p = c->shared->memory[c->rank] + c->used;
    c->starts.push_back(c->used);
    c->used += whole;
    emu_global_add(*p, bytes);
    return ncclSuccess;
}

static inline ncclResult_t ncclMemFree(void *p) {
    emu_nccl_comm *const c = emu_nccl_last;
    unsigned char *const all = c->shared->memory[c->rank];
    emu_global_remove(p);
    if (!c->starts.empty() && all + c->starts.back() == p) {
        c->used = c->starts.back();
        c->starts.pop_back();
    }
    return ncclSuccess;
}

static inline ncclResult_t ncclCommRegister(ncclComm_t, void *p, size_t,
                                            void **handle) {
    *handle = p;
    return ncclSuccess;
}

static inline ncclResult_t ncclCommDeregister(ncclComm_t, void *) {
    return ncclSuccess;
}

static inline ncclTeam_t ncclTeamLsa(ncclComm_t c) {
    return ncclTeam_t{c->lsa_ranks, c->rank % c->lsa_ranks, 1};
}

/* Sets a number of each rank, by messages. */
static inline bool emu_nccl_gather(ncclComm_t c, void *own, void **all) {
    void **at = nullptr;
    bool good = !cudaMalloc((void **)&at, (EMU_NCCL_RANKS + 1) * sizeof *at);
    good = good &&
           !cudaMemcpy(at + c->ranks, &own, sizeof own,
                       cudaMemcpyHostToDevice) &&
           !ncclAllGather(at + c->ranks, at, sizeof own, ncclUint8, c, 0) &&
           !cudaMemcpy(all, at, (size_t)c->ranks * sizeof *at,
                       cudaMemcpyDeviceToHost);
    cudaFree(at);
    return good;
}

/* Gives null for memory that is not of ncclMemAlloc, as NCCL does. */
static inline ncclResult_t ncclCommWindowRegister(ncclComm_t c, void *p,
                                                  size_t bytes,
                                                  ncclWindow_t *w, int) {
    void *all[EMU_NCCL_RANKS] = {};
    unsigned char *const own = c->shared->memory[c->rank];
    const bool known = (unsigned char *)p >= own &&
                       (unsigned char *)p < own + EMU_NCCL_MEMORY;
    *w = nullptr;
    if (!emu_nccl_gather(c, known ? p : nullptr, all)) {
        return ncclSystemError;
    }
    for (int r = 0; r < c->ranks; ++r) {
        if (!all[r]) {
            return ncclSuccess;
        }
    }
    if (cudaMalloc((void **)w, sizeof **w)) {
        return ncclSystemError;
    }
    for (int r = 0; r < c->ranks; ++r) {
        if (r != c->rank) {
            emu_global_add(all[r], bytes);
        }
    }
    return cudaMemcpy(*w, all, sizeof **w, cudaMemcpyHostToDevice)
               ? ncclSystemError
               : ncclSuccess;
}

static inline ncclResult_t ncclCommWindowDeregister(ncclComm_t c,
                                                    ncclWindow_t w) {
    for (int r = 0; r < c->ranks; ++r) {
        if (r != c->rank) {
            emu_global_remove(w->base[r]);
        }
    }
    cudaFree(w);
    return ncclSuccess;
}

static inline ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t *e) {
    *e = ncclSuccess;
    return ncclSuccess;
}

static inline ncclResult_t ncclCommAbort(ncclComm_t c) {
    c->shared->broken = 1;
    return ncclSuccess;
}

static inline ncclResult_t ncclCommDestroy(ncclComm_t c) {
    delete c;
    return ncclSuccess;
}

#endif
