package main

import "fmt"

// module collects functions and globals and writes them out as one WebAssembly binary. It has one memory and no imports.
type module struct {
	pages   uint32
	globals []int32
	funcs   []*function
}

// function is one function under construction: parameters first, then locals, all of type i32.
type function struct {
	index  uint32
	name   string // exported under this name; "" keeps it private
	params uint32
	locals uint32
	result bool
	body   code
}

func (m *module) global(first int32) global {
	m.globals = append(m.globals, first)
	return global(len(m.globals) - 1)
}

func (m *module) function(name string, params uint32, result bool) *function {
	f := &function{index: uint32(len(m.funcs)), name: name, params: params, result: result}
	m.funcs = append(m.funcs, f)
	return f
}

// arg is the n-th parameter; fresh is a local of its own, zero at the start.
func (f *function) arg(n uint32) local { return local(n) }

func (f *function) fresh() local {
	f.locals++
	return local(f.params + f.locals - 1)
}

func (f *function) does(body ...code) { f.body = cat(body...) }

// call calls f; a caller that passes the wrong number of arguments is a mistake in the generator, so it stops there.
func (f *function) call(args ...code) code {
	if uint32(len(args)) != f.params {
		panic(fmt.Sprintf("call of %q with %d arguments, want %d", f.name, len(args), f.params))
	}
	return cat(cat(args...), code{0x10}, uleb(f.index))
}

const i32 = 0x7f

// vector is the format's list: a count, then the items.
func vector(items []code) code { return cat(uleb(uint32(len(items))), cat(items...)) }

func section(id byte, items []code) code {
	body := vector(items)
	return cat(code{id}, uleb(uint32(len(body))), body)
}

func text(s string) code { return cat(uleb(uint32(len(s))), code(s)) }

// binary is the whole module: header, then the sections in the order that the format demands.
func (m *module) binary() []byte {
	var types, decls, exports, bodies, globals []code
	for _, f := range m.funcs {
		types = append(types, f.signature())
		decls = append(decls, uleb(f.index))
		bodies = append(bodies, f.encode())
		if f.name != "" {
			exports = append(exports, cat(text(f.name), code{0x00}, uleb(f.index)))
		}
	}
	exports = append(exports, cat(text("memory"), code{0x02, 0}))
	for _, first := range m.globals {
		globals = append(globals, cat(code{i32, 1}, num(first), code{0x0b}))
	}
	memory := []code{cat(code{0x01}, uleb(m.pages), uleb(m.pages))}
	return cat(code("\x00asm\x01\x00\x00\x00"),
		section(1, types), section(3, decls), section(5, memory), section(6, globals), section(7, exports), section(10, bodies))
}

func (f *function) signature() code {
	params := make([]code, f.params)
	for i := range params {
		params[i] = code{i32}
	}
	results := []code{}
	if f.result {
		results = append(results, code{i32})
	}
	return cat(code{0x60}, vector(params), vector(results))
}

func (f *function) encode() code {
	locals := []code{cat(uleb(f.locals), code{i32})}
	body := cat(vector(locals), f.body, code{0x0b})
	return cat(uleb(uint32(len(body))), body)
}
