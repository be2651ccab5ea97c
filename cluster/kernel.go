package cluster

// Kernel is a routine of a numerical library, or a kind of loop. Machine.Kernels has the fraction of
// the flop rate that it reaches. A multithreaded routine computes on several cores in one call
// (Work.Cores); the program forks no threads for it.
type Kernel uint8

// The kernels.
const (
	NoKernel Kernel = iota
	Dgemm           // matrix times matrix
	Potrf           // Cholesky factorization of a tile
	Trsm            // triangular solve with many right-hand sides
	FFT             // fast Fourier transforms along a line
	Stencil         // loops over the cells of a grid that read each cell's neighbours
	Chain           // operations of which each needs the result of the previous one
	Kernels         // the number of kernels
)

var kernelNames = [Kernels]string{"none", "dgemm", "potrf", "trsm", "fft", "stencil", "chain"}

// String returns the name, as in machine files.
func (k Kernel) String() string {
	if k < Kernels {
		return kernelNames[k]
	}
	return "kernel?"
}

// KernelRate returns the flop/s of a core in a kernel. It is Flops if the machine states no
// fraction for the kernel, or for NoKernel. 0: unknown.
func (m *Machine) KernelRate(k Kernel) float64 {
	if k < Kernels && m.Kernels[k] > 0 {
		return m.Flops * m.Kernels[k]
	}
	return m.Flops
}
