package host

// Shared is memory that other processes of this host can map. It starts with zeros.
type Shared struct {
	name   string
	mapped []byte
	close  func() error // closes the file; nil in processes that only map it
}

// sharedHead is the size of the header, a cache line. It has the name of the memory.
const sharedHead = 64

// Name returns the name with which a process of this host maps the memory.
func (s *Shared) Name() string { return s.name }

// Bytes returns the memory. It begins at a cache line.
func (s *Shared) Bytes() []byte { return s.mapped[sharedHead:] }
