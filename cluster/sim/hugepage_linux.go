package sim

import (
	"runtime"
	"syscall"
	"unsafe"
)

// hugePage is the size of a huge page on most hosts.
const hugePage = 2 << 20

// useHugePages asks the system for huge pages for the memory of records. A trace of 100 MB has 25,000 page faults
// without them. After the records, other data use the memory. Each small object in it could then take a huge page, so
// the request ends with the records.
func useHugePages(block []record) {
	begin, size := uintptr(unsafe.Pointer(&block[0])), uintptr(len(block))*unsafe.Sizeof(record{})
	first := (begin + hugePage - 1) &^ (hugePage - 1)
	last := (begin + size) &^ (hugePage - 1)
	if last <= first {
		return
	}
	r := memoryRange{first, last - first}
	r.advise(syscall.MADV_HUGEPAGE)
	runtime.AddCleanup(&block[0], func(r memoryRange) { r.advise(syscall.MADV_NOHUGEPAGE) }, r)
}

// memoryRange is a range of addresses, in whole huge pages.
type memoryRange struct{ first, size uintptr }

func (r memoryRange) advise(advice uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, r.first, r.size, advice)
}
