// Package codec encodes and decodes plain data. One list of fields serves both directions:
//
//	func (p *Point) fields(c *codec.Walk) {
//		codec.Text(c, &p.Name)
//		c.Float(&p.X)
//		codec.List(c, &p.Tags, tags)
//	}
//	p.fields(codec.Encode(nil)) // or codec.Decode(b)
//
// Whole numbers are varints, floats have eight bytes, and the length of texts and lists precedes
// them. Decoded data encode to the same bytes again. A decoder allocates a list only if the input
// has at least the minimum number of bytes for it.
package codec
