// Package cover gives projects their covers and accounts their portraits: a worker makes a cover after each publish, or
// its owner chooses one, and the website gets the bytes of both here.
package cover
