package recording

import (
	"runtime"
	"sync"
)

// decoding unpacks what a view wants of its lanes while more is read of the file. A lane is
// one piece, so that no two change it.
type decoding struct {
	pieces chan piece
	all    sync.WaitGroup
	mu     sync.Mutex // of what follows
	bad    map[*track]error
}

// piece is what is read of a lane: stretches from a number up to another, and the blocks
// that have them.
type piece struct {
	of         *track
	from, upTo uint64
	rows       []blockRow
}

// mostDecoders is how many pieces are unpacked side by side.
const mostDecoders = 4

// decoding begins one.
func (f *File) decoding() *decoding {
	d := &decoding{pieces: make(chan piece, 2*mostDecoders), bad: make(map[*track]error)}
	for i := range min(runtime.GOMAXPROCS(0), mostDecoders) {
		if i == len(f.decoders) {
			f.decoders = append(f.decoders, newUnpacker())
		}
		u := f.decoders[i]
		d.all.Go(func() {
			for p := range d.pieces {
				for k := range p.rows {
					if err := p.of.add(u, &p.rows[k], p.from, p.upTo); err != nil {
						d.fail(p.of, err)
						break
					}
				}
			}
		})
	}
	return d
}

func (d *decoding) add(p piece) { d.pieces <- p }

// fail keeps what is wrong with a lane.
func (d *decoding) fail(of *track, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bad[of] = err
}

// end waits for all, and gives what is wrong with which lane.
func (d *decoding) end() map[*track]error {
	close(d.pieces)
	d.all.Wait()
	return d.bad
}
