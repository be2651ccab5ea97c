package barneshut

// A cache stores the records that a rank has read from other ranks' memory during a step.
type cache struct {
	reader
	me        int
	summaries map[ref]*summary
	opened    map[ref]*children
}

func newCache(of reader, me int) *cache {
	return &cache{reader: of, me: me, summaries: map[ref]*summary{}, opened: map[ref]*children{}}
}

func (c *cache) clear() {
	clear(c.summaries)
	clear(c.opened)
}

func (c *cache) summary(r ref, depth int) (*summary, error) {
	if r.owner() == c.me {
		return c.reader.summary(r, depth)
	}
	if had := c.summaries[r]; had != nil {
		return had, nil
	}
	got, err := c.reader.summary(r, depth)
	if err != nil {
		return nil, err
	}
	kept := *got
	c.summaries[r] = &kept
	return &kept, nil
}

func (c *cache) children(r ref, depth int) (*children, error) {
	if r.owner() == c.me {
		return c.reader.children(r, depth)
	}
	if had := c.opened[r]; had != nil {
		return had, nil
	}
	got, err := c.reader.children(r, depth)
	if err != nil {
		return nil, err
	}
	kept := *got
	c.opened[r] = &kept
	return &kept, nil
}
