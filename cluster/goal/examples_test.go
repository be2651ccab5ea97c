package goal_test

// examples are programs of docs/machines.md, with their closed forms.
var examples = []pattern{
	{
		name: "one-message",
		rank: func(d *drawn, r, _, size int) {
			if r == 0 {
				d.send(size, 1)
			} else {
				d.recv(size, 0)
			}
		},
		theirs: func(c constants, size int) int64 { return 2*c.o + c.L + c.bytes(int64(size)) },
		ours:   func(c constants, size int) int64 { return 2*c.o + c.L + c.bytes(int64(size)) + c.handshake(size) },
	},
	{ // the receiver calculates for 50 µs before it receives
		name: "late-receive",
		rank: func(d *drawn, r, _, size int) {
			if r == 0 {
				d.send(size, 1)
				return
			}
			calc := d.calc(50000)
			d.requires(d.recv(size, 0), calc)
		},
		theirs: func(c constants, size int) int64 { return 50000 + c.o + c.bytes(int64(size)) },
		ours: func(c constants, size int) int64 {
			if int64(size) <= c.S {
				return 50000 + c.o
			}
			return 50000 + 3*c.o + 2*c.L + c.bytes(int64(size))
		},
	},
	{ // the receiver waits for a message of rank 2, sent after 50 µs, before it receives from rank 0
		name: "kept-message",
		rank: func(d *drawn, r, _, size int) {
			switch r {
			case 0:
				d.send(size, 1)
			case 1:
				late := d.recv(size, 2)
				d.requires(d.recv(size, 0), late)
			case 2:
				calc := d.calc(50000)
				d.requires(d.send(size, 1), calc)
			}
		},
		theirs: func(c constants, size int) int64 { return 50000 + 2*c.o + c.L + c.bytes(int64(size)) },
		ours: func(c constants, size int) int64 {
			first := 50000 + 2*c.o + c.L + c.bytes(int64(size)) + c.handshake(size)
			if int64(size) <= c.S {
				return first + c.o
			}
			return first + c.bytes(int64(size)) + max(3*c.o+2*c.L, c.g)
		},
	},
	{ // rank 0 sends to ranks 1 and 2; meanwhile a message of rank 3 arrives
		name: "busy-sender",
		rank: func(d *drawn, r, _, size int) {
			switch r {
			case 0:
				d.send(size, 1)
				d.send(size, 2)
				d.recv(size, 3)
			case 3:
				d.send(size, 0)
			default:
				d.recv(size, 0)
			}
		},
		theirs: func(c constants, size int) int64 {
			b := c.bytes(int64(size))
			if begin := max(c.o, c.g+b); begin <= c.o+c.L { // the second send goes first
				return max(begin+2*c.o+c.L+b, max(begin+c.o, c.o+c.L)+c.o+b)
			}
			return max(c.g+b, 2*c.o+c.L+b) + 2*c.o + c.L + b
		},
		ours: func(c constants, size int) int64 {
			b := c.bytes(int64(size))
			return max(2*c.o, c.o+c.g+b) + c.L + b + c.o
		},
	},
}

// handshake returns the time of RTS and CTS of one message: a round trip with o at both ends.
func (c *constants) handshake(size int) int64 {
	if int64(size) <= c.S {
		return 0
	}
	return max(2*(c.L+c.o), c.g)
}
