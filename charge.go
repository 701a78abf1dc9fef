package sandlot

import "io"

// A Charge takes n more bytes that a call produces from its body, such as by unpacking it, from a limit before they are
// kept. Its error ends the call and is returned, and none of those bytes is kept. A nil Charge allows everything. It is
// called by one goroutine at a time.
type Charge func(n int) error

// Of returns a reader of r that charges for each byte as it is read.
func (ask Charge) Of(r io.Reader) io.Reader {
	if ask == nil {
		return r
	}
	return &chargedReader{r, ask}
}

// Add charges for n bytes.
func (ask Charge) Add(n int) error {
	if ask == nil {
		return nil
	}
	return ask(n)
}

// chargedReader is the reader that Charge.Of returns.
type chargedReader struct {
	r   io.Reader
	ask Charge
}

// Read implements io.Reader.
func (c *chargedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if refused := c.ask(n); refused != nil {
		return 0, refused
	}
	return n, err
}
