# A recipe for Spack. Put it into a repository as packages/bankshot/package.py, and install in the folder of the archive that make dist
# writes: spack install --no-checksum bankshot +mpi
import os

from spack.package import *


class Bankshot(MakefilePackage):
    """Microbenchmarks of the memory of NVIDIA and AMD GPUs and of CPUs, a simulator that runs the same kernels without a GPU, and a
    model that predicts their times. Drivers and run-time compilers of GPUs are looked up when a program runs."""

    manual_download = True
    url = f"file://{os.getcwd()}/bankshot-0.2.0.tar.gz"

    license("MIT")

    version("0.2.0")

    variant("mpi", default=False, description="Build apsp-mpi, shortest paths on many ranks")
    variant("sim", default=True, description="Build the simulator of GPUs")
    variant("spatter", default=True, description="Read Spatter's pattern files")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("gawk", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("elfutils", when="+sim")
    depends_on("libffi", when="+sim")
    depends_on("jansson", when="+spatter")
    depends_on("gnuplot", type="run")

    # make test installs tools and takes minutes: spack test run has what a package needs.
    build_time_test_callbacks = []

    def settings(self):
        spec = self.spec
        found = [f"PREFIX={self.prefix}", f"CC={self.compiler.cc}"]
        found.append(f"MPICC={spec['mpi'].mpicc}" if spec.satisfies("+mpi") else "HAVE_MPI=")
        if not spec.satisfies("+sim"):
            found.append("HAVE_SIM=")
        if not spec.satisfies("+spatter"):
            found.append("HAVE_JANSSON=")
        return found

    def build(self, spec, prefix):
        make(*self.settings())

    def install(self, spec, prefix):
        make(*self.settings(), "install")

    def test_lanes(self):
        """count the bank conflicts of a request"""
        lanes = which(self.prefix.bin.join("bankshot-lanes"))
        out = lanes("--gpu", "h200", "--space", "shared", "--op", "load", "--width", "4", "--stride", "2", output=str.split)
        check_outputs("conflict", out)

    def test_sim(self):
        """run a kernel on a simulated GPU"""
        if self.spec.satisfies("~sim"):
            raise SkipTest("the simulator is not built")
        gmem = which(self.prefix.bin.join("bankshot-gmem"))
        out = gmem("--device", "sim:h200", "--variant", "read", "--elements", "64K", "--quiet", "--csv", "-", output=str.split)
        check_outputs(",yes,ok", out)
