__global__ void first_plain(float *p) {
    p[threadIdx.x] = 1.0f; /* line 2 */
}
template <class T> __global__ void first_template(T *p) {
    p[threadIdx.x] = (T)1; /* line 5 */
}
