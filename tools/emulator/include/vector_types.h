/* vector_types.h - the vector structs of CUDA, as plain aggregates. */
#ifndef EMU_VECTOR_TYPES_H
#define EMU_VECTOR_TYPES_H

#define EMU_VECTORS_(T_, name)                                                 \
    struct name##1 { T_ x; };                                                  \
    struct __attribute__((aligned(2 * sizeof(T_)))) name##2 { T_ x, y; };      \
    struct name##3 { T_ x, y, z; };                                            \
    struct __attribute__((aligned(4 * sizeof(T_) < 16 ? 4 * sizeof(T_) : 16))) \
    name##4 { T_ x, y, z, w; };                                                \
    static inline name##1 make_##name##1(T_ x) {                               \
        name##1 v = {x};                                                       \
        return v;                                                              \
    }                                                                          \
    static inline name##3 make_##name##3(T_ x, T_ y, T_ z) {                   \
        name##3 v = {x, y, z};                                                 \
        return v;                                                              \
    }                                                                          \
    static inline name##2 make_##name##2(T_ x, T_ y) {                         \
        name##2 v = {x, y};                                                    \
        return v;                                                              \
    }                                                                          \
    static inline name##4 make_##name##4(T_ x, T_ y, T_ z, T_ w) {             \
        name##4 v = {x, y, z, w};                                              \
        return v;                                                              \
    }

EMU_VECTORS_(signed char, char)
EMU_VECTORS_(unsigned char, uchar)
EMU_VECTORS_(short, short)
EMU_VECTORS_(unsigned short, ushort)
EMU_VECTORS_(int, int)
EMU_VECTORS_(unsigned, uint)
EMU_VECTORS_(long, long)
EMU_VECTORS_(unsigned long, ulong)
EMU_VECTORS_(long long, longlong)
EMU_VECTORS_(unsigned long long, ulonglong)
EMU_VECTORS_(float, float)
EMU_VECTORS_(double, double)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return uint3{x, y, z}; }
};

#endif
