// Each element becomes the mean of the nine around it.
__global__ void blur(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 4;
    float sum = 0;
    for (int k = -4; k <= 4; k++)
        sum += in[i + k];
    out[i] = sum / 9;
}
