// Package codec encodes plain data and decodes it, by one list of fields for both ways:
//
//	func (p *Point) fields(c *codec.Walk) {
//		codec.Text(c, &p.Name)
//		c.Float(&p.X)
//		codec.List(c, &p.Tags, tags)
//	}
//	p.fields(codec.Encode(nil)) // or codec.Decode(b)
//
// Whole numbers are varints, floats eight bytes, texts and lists have their length
// before them. What a walk decodes it would encode to the same bytes, and it makes no
// list before it has seen as many bytes as the list needs at least.
package codec
