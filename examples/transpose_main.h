#include <vector>
template<class T> int test(unsigned m, unsigned n){
  std::vector<T> h((size_t)m*n), o((size_t)m*n); randomise(h.data(), h.size()*sizeof(T), 7);
  T*d,*s; MUST(cudaMalloc((void**)&d,h.size()*sizeof(T)));MUST(cudaMalloc((void**)&s,h.size()*sizeof(T)));
  MUST(cudaMemcpy(s,h.data(),h.size()*sizeof(T),cudaMemcpyHostToDevice));
  int bad=0; for(int v=0;v<3;v++){ MUST(cudaMemset(d,0xee,h.size()*sizeof(T)));
   dim3 g((n+31)/32,(m+31)/32);
   if(v==0) LL_LAUNCH((naive<T>),g,128,0,d,s,m,n); if(v==1) LL_LAUNCH((padded<T>),g,128,0,d,s,m,n); if(v==2) transposed(d,s,m,n);
   MUST(cudaDeviceSynchronize()); MUST(cudaGetLastError()); MUST(cudaMemcpy(o.data(),d,h.size()*sizeof(T),cudaMemcpyDeviceToHost));
   long w=0; for(unsigned i=0;i<m;i++)for(unsigned j=0;j<n;j++)w+=o[(size_t)j*m+i]!=h[(size_t)i*n+j];
   printf("%zu bytes %ux%u version %d: %ld wrong\n",sizeof(T),m,n,v,w); bad+=w!=0;
#if LL_EMULATE
   printf("%s",emu_errors()); emu_print(); emu_reset();
#endif
  }
  cudaFree(d);cudaFree(s);
  return bad;}
int main(){ int b=0; b+=test<unsigned char>(256,192); b+=test<unsigned short>(128,192);b+=test<unsigned>(128,128);b+=test<unsigned long long>(64,96);b+=test<unsigned char>(33,71);b+=test<unsigned short>(72,40);return b;}
