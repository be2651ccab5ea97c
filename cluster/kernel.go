package cluster

// Kernel is a routine of a numerical library: a machine says which share of its flop
// rate the routine reaches (Machine.Kernels). A multi-threaded one computes on several
// cores in one call (Work.Cores), and the program forks no threads for it.
type Kernel uint8

// The kernels.
const (
	NoKernel Kernel = iota
	Dgemm           // matrix times matrix
	Potrf           // Cholesky factorization of a tile
	Trsm            // triangular solve with many right-hand sides
	FFT             // fast Fourier transforms along a line
	Kernels         // how many there are
)

var kernelNames = [Kernels]string{"none", "dgemm", "potrf", "trsm", "fft"}

// String is the name, as in machine files.
func (k Kernel) String() string {
	if k < Kernels {
		return kernelNames[k]
	}
	return "kernel?"
}

// KernelRate is the flop/s of a core in a kernel: Flops where the machine states no
// share of it, or the kernel is none. 0: unknown.
func (m *Machine) KernelRate(k Kernel) float64 {
	if k < Kernels && m.Kernels[k] > 0 {
		return m.Flops * m.Kernels[k]
	}
	return m.Flops
}
