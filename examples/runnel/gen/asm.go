package main

import "slices"

// code is a run of WebAssembly instructions. WebAssembly is a stack machine, so an expression is its operands one after the other and then
// its operator: every helper below is such a concatenation, and nested calls read like the formula they compute.
type code []byte

// local and global are the indices of variables. Every value in the module is an i32.
type (
	local  uint32
	global uint32
)

func cat(parts ...code) code { return slices.Concat(parts...) }

// uleb and sleb are the two variable-length integer forms of the binary format.
func uleb(v uint32) code {
	var out code
	for v >= 0x80 {
		out = append(out, byte(v)|0x80)
		v >>= 7
	}
	return append(out, byte(v))
}

func sleb(v int32) code {
	var out code
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

func num(v int32) code   { return cat(code{0x41}, sleb(v)) }
func get(v local) code   { return cat(code{0x20}, uleb(uint32(v))) }
func load(g global) code { return cat(code{0x23}, uleb(uint32(g))) }

func set(v local, x code) code    { return cat(x, code{0x21}, uleb(uint32(v))) }
func store(g global, x code) code { return cat(x, code{0x24}, uleb(uint32(g))) }

func binary(op byte, a, b code) code { return cat(a, b, code{op}) }

func eq(a, b code) code        { return binary(0x46, a, b) }
func ne(a, b code) code        { return binary(0x47, a, b) }
func lt(a, b code) code        { return binary(0x48, a, b) }
func below(a, b code) code     { return binary(0x49, a, b) } // less than, unsigned: one test for 0 <= a < b
func gt(a, b code) code        { return binary(0x4a, a, b) }
func add(a, b code) code       { return binary(0x6a, a, b) }
func sub(a, b code) code       { return binary(0x6b, a, b) }
func mul(a, b code) code       { return binary(0x6c, a, b) }
func div(a, b code) code       { return binary(0x6d, a, b) }
func remainder(a, b code) code { return binary(0x70, a, b) } // unsigned
func and(a, b code) code       { return binary(0x71, a, b) }
func or(a, b code) code        { return binary(0x72, a, b) }
func xor(a, b code) code       { return binary(0x73, a, b) }
func shl(a, b code) code       { return binary(0x74, a, b) }
func sar(a, b code) code       { return binary(0x75, a, b) }
func shr(a, b code) code       { return binary(0x76, a, b) }
func isZero(a code) code       { return cat(a, code{0x45}) }
func lower(a, b code) code     { return cat(a, b, lt(a, b), code{0x1b}) }

// Memory access: the address is at plus the constant base, which the format adds for nothing.
func byteAt(base uint32, at code) code { return cat(at, code{0x2d, 0}, uleb(base)) }
func wordAt(base uint32, at code) code { return cat(at, code{0x28, 2}, uleb(base)) }

func putByte(base uint32, at, v code) code { return cat(at, v, code{0x3a, 0}, uleb(base)) }
func putWord(base uint32, at, v code) code { return cat(at, v, code{0x36, 2}, uleb(base)) }

const void = 0x40

func when(cond code, then ...code) code {
	return cat(cond, code{0x04, void}, cat(then...), code{0x0b})
}

func either(cond, then, otherwise code) code {
	return cat(cond, code{0x04, void}, then, code{0x05}, otherwise, code{0x0b})
}

// while repeats its body as long as cond is not zero: a block to leave by, around a loop to return to.
func while(cond code, body ...code) code {
	return cat(code{0x02, void, 0x03, void}, isZero(cond), code{0x0d, 1}, cat(body...), code{0x0c, 0, 0x0b, 0x0b})
}

// each runs its body for v from first up to, but not including, end.
func each(v local, first, end code, body ...code) code {
	return cat(set(v, first), while(lt(get(v), end), cat(body...), set(v, add(get(v), num(1)))))
}

func give(x code) code { return cat(x, code{0x0f}) }
