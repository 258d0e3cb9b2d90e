// Where ROCm's libraries are, shared by HIP, hiprtc and ROCm SMI.
#ifndef DEVICE_GPU_ROCM_H
#define DEVICE_GPU_ROCM_H

#define ROCM_PLACES(package)                                                                                           \
    .advice = "install ROCm's " package ", or set ROCM_PATH to where it is",                                           \
    .variables = (const char *const[]){"ROCM_PATH", "HIP_PATH", "ROCM_HOME", "EBROOTHIP", "CONDA_PREFIX", NULL},       \
    .folders = (const char *const[]){"/opt/rocm", "/opt/rocm-*", NULL}, .wheels = (const char *const[]) {              \
        "_rocm_sdk_core/lib", "torch/lib", NULL                                                                        \
    }

#endif
