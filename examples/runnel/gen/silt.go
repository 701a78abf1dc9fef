package main

// The field of the game is a grid of bytes. The low three bits of a cell are what it is, the four above them its shade, and the top bit,
// set only while painting, says that light falls on it. Zero is nothing at all, so that "empty" is one comparison.
const (
	earth = 1 // can be dug away
	rock  = 2 // cannot
	glass = 3 // jars, and the invisible walls at both sides
	sand  = 4 // 4, 5 and 6 are three kinds of sand
	kinds = 3
	gem   = 7 // buried, found by digging

	shadeBits = 3
	shadeMax  = 15
	lit       = 0x80
)

// Where things lie in the module's memory. The game reads pixels from, and writes colours to, these same addresses.
const (
	palette  = 0x00000 // 256 colours, 4 bytes each, red first
	cells    = 0x10000 // the grid, row by row: at most 65,536 cells
	behind   = 0x20000 // what shows where a cell is empty: 0 for sky, else the wall of the dig
	pixels   = 0x30000 // the painted grid, 4 bytes a cell
	allPages = 7       // up to 0x70000, in pages of 64 KiB
)

// silt holds the module with what its functions share.
type silt struct {
	*module
	width, height, state, found, lost global
	random, hash, noise, cell, isSand *function
}

func hex(v uint32) code { return num(int32(v)) }

// siltModule is the whole simulation. Every function is exported under the name that the game calls it by.
func siltModule() *module {
	s := &silt{module: &module{pages: allPages}}
	s.width, s.height, s.state = s.global(0), s.global(0), s.global(0x2545F491)
	s.found, s.lost = s.global(0), s.global(0)
	s.addRandom()
	s.addHash()
	s.addNoise()
	s.addCell()
	s.addIsSand()
	s.addSize()
	s.addTerrain()
	s.addFill()
	s.addBury()
	s.addDig()
	s.addGems()
	s.addPour()
	s.addStep()
	s.addTally()
	s.addSpoilt()
	s.addLoose()
	s.addPaint()
	return s.module
}

// random is xorshift32: not for secrets, quick enough for each grain that cannot fall straight.
func (s *silt) addRandom() {
	f := s.function("", 0, true)
	s.random = f
	f.does(
		store(s.state, xor(load(s.state), shl(load(s.state), num(13)))),
		store(s.state, xor(load(s.state), shr(load(s.state), num(17)))),
		store(s.state, xor(load(s.state), shl(load(s.state), num(5)))),
		load(s.state),
	)
}

// hash(x, y, seed) is 0 to 255, the same for the same place: the corners that noise blends between.
func (s *silt) addHash() {
	f := s.function("", 3, true)
	s.hash = f
	h := f.fresh()
	f.does(
		set(h, add(add(mul(get(f.arg(0)), hex(0x27d4eb2d)), mul(get(f.arg(1)), hex(0x165667b1))), mul(get(f.arg(2)), hex(0x9e3779b1)))),
		set(h, mul(xor(get(h), shr(get(h), num(15))), hex(0x85ebca6b))),
		set(h, mul(xor(get(h), shr(get(h), num(13))), hex(0xc2b2ae35))),
		shr(get(h), num(24)),
	)
}

// noise(x, y, shift, seed) is smooth value noise from 0 to 255, with blobs of about 1<<shift cells.
func (s *silt) addNoise() {
	f := s.function("", 4, true)
	s.noise = f
	x, y, shift, seed := f.arg(0), f.arg(1), f.arg(2), f.arg(3)
	gx, gy, fx, fy, upper, under := f.fresh(), f.fresh(), f.fresh(), f.fresh(), f.fresh(), f.fresh()
	between := func(a, b code, t local) code { return add(a, sar(mul(sub(b, a), get(t)), num(8))) }
	corner := func(dx, dy int32) code { return s.hash.call(add(get(gx), num(dx)), add(get(gy), num(dy)), get(seed)) }
	// The place within its square, 0 to 255, eased so that squares do not show.
	part := func(v local, out local) code {
		mask := sub(shl(num(1), get(shift)), num(1))
		return cat(set(out, shr(shl(and(get(v), mask), num(8)), get(shift))),
			set(out, shr(mul(mul(get(out), get(out)), sub(num(768), mul(num(2), get(out)))), num(16))))
	}
	f.does(
		set(gx, sar(get(x), get(shift))), set(gy, sar(get(y), get(shift))),
		part(x, fx), part(y, fy),
		set(upper, between(corner(0, 0), corner(1, 0), fx)),
		set(under, between(corner(0, 1), corner(1, 1), fx)),
		between(get(upper), get(under), fy),
	)
}

// cell(x, y) is the offset of a cell in the grid.
func (s *silt) addCell() {
	f := s.function("", 2, true)
	s.cell = f
	f.does(add(mul(get(f.arg(1)), load(s.width)), get(f.arg(0))))
}

func (s *silt) addIsSand() {
	f := s.function("", 1, true)
	s.isSand = f
	f.does(below(sub(and(get(f.arg(0)), num(7)), num(sand)), num(kinds)))
}

// size(w, h) empties the field and makes it w by h cells, with a wall of glass down each side. w*h must not exceed 65,536.
func (s *silt) addSize() {
	f := s.function("size", 2, false)
	w, h, i := f.arg(0), f.arg(1), f.fresh()
	f.does(
		store(s.width, get(w)), store(s.height, get(h)), store(s.found, num(0)),
		each(i, num(0), mul(get(w), get(h)), putByte(cells, get(i), num(0)), putByte(behind, get(i), num(0))),
		each(i, num(0), get(h),
			putByte(cells, s.cell.call(num(0), get(i)), num(glass)),
			putByte(cells, s.cell.call(sub(get(w), num(1)), get(i)), num(glass))),
	)
}

// terrain(top, seed, cave, rock) fills the field with earth from about the row top downwards, in wavy layers. The higher cave and rock are
// (0 to 255), the fewer there are of each.
func (s *silt) addTerrain() {
	f := s.function("terrain", 4, false)
	top, seed, cave, stone := f.arg(0), f.arg(1), f.arg(2), f.arg(3)
	x, y, ground, depth, shade, what := f.fresh(), f.fresh(), f.fresh(), f.fresh(), f.fresh(), f.fresh()
	at := s.cell.call(get(x), get(y))
	blob := func(shift, salt int32) code {
		return s.noise.call(get(x), get(y), num(shift), add(get(seed), num(salt)))
	}
	f.does(
		store(s.state, or(get(seed), num(1))),
		each(x, num(1), sub(load(s.width), num(1)),
			set(ground, add(get(top), sub(shr(s.noise.call(get(x), num(0), num(5), get(seed)), num(5)), shr(s.noise.call(get(x), num(9), num(3), get(seed)), num(6))))),
			each(y, get(ground), load(s.height),
				set(depth, sub(get(y), get(ground))),
				set(shade, div(mul(add(get(depth), shr(blob(5, 1), num(4))), num(12)), sub(load(s.height), get(top)))),
				set(shade, add(get(shade), and(shr(s.random.call(), num(9)), gt(blob(2, 2), num(120))))),
				set(shade, lower(get(shade), num(shadeMax))),
				set(what, num(earth)),
				when(and(gt(get(depth), num(6)), gt(blob(4, 4), get(stone))), set(what, num(rock))),
				when(and(gt(get(depth), num(9)), gt(blob(4, 3), get(cave))), set(what, num(0))),
				putByte(behind, at, shl(lower(add(get(shade), num(1)), num(shadeMax)), num(shadeBits))),
				when(get(what), set(what, or(get(what), shl(get(shade), num(shadeBits))))),
				putByte(cells, at, get(what)))),
	)
}

// fill(x, y, w, h, cell) writes one cell value into a rectangle, which must lie inside the field.
func (s *silt) addFill() {
	f := s.function("fill", 5, false)
	x, y, i, j := f.arg(0), f.arg(1), f.fresh(), f.fresh()
	f.does(each(j, get(y), add(get(y), get(f.arg(3))),
		each(i, get(x), add(get(x), get(f.arg(2))),
			putByte(cells, s.cell.call(get(i), get(j)), get(f.arg(4))))))
}

// disc visits the cells of a circle, cut to the inside of the field. The body finds the cell's offset in at.
func (s *silt) disc(f *function, x, y, r, at local, body ...code) code {
	i, j := f.fresh(), f.fresh()
	within := lt(add(mul(get(i), get(i)), mul(get(j), get(j))), add(mul(get(r), get(r)), get(r)))
	column, row := add(get(x), get(i)), add(get(y), get(j))
	inside := and(below(sub(column, num(1)), sub(load(s.width), num(2))), below(row, load(s.height)))
	return each(j, sub(num(0), get(r)), add(get(r), num(1)),
		each(i, sub(num(0), get(r)), add(get(r), num(1)),
			when(and(within, inside), set(at, s.cell.call(column, row)), cat(body...))))
}

// bury(x, y, r, cell) turns the earth of a circle into something else: gems and boulders.
func (s *silt) addBury() {
	f := s.function("bury", 4, false)
	at := f.fresh()
	f.does(s.disc(f, f.arg(0), f.arg(1), f.arg(2), at,
		when(eq(and(byteAt(cells, get(at)), num(7)), num(earth)), putByte(cells, get(at), get(f.arg(3))))))
}

// dig(x, y, r) takes the earth and the gems out of a circle and returns how many cells went. Rock, glass and sand stay.
func (s *silt) addDig() {
	f := s.function("dig", 3, true)
	at, what, count := f.fresh(), f.fresh(), f.fresh()
	f.does(
		s.disc(f, f.arg(0), f.arg(1), f.arg(2), at,
			set(what, and(byteAt(cells, get(at)), num(7))),
			when(eq(get(what), num(gem)), store(s.found, add(load(s.found), num(1)))),
			when(or(eq(get(what), num(gem)), eq(get(what), num(earth))),
				putByte(cells, get(at), num(0)),
				set(count, add(get(count), num(1))))),
		get(count),
	)
}

// gems is how many cells of gem were dug since it was last asked.
func (s *silt) addGems() {
	f := s.function("gems", 0, true)
	n := f.fresh()
	f.does(set(n, load(s.found)), store(s.found, num(0)), get(n))
}

// pour(x, y, n, kind) drops up to n grains in the five cells around x and returns how many found room.
func (s *silt) addPour() {
	f := s.function("pour", 4, true)
	x, y, n, kind := f.arg(0), f.arg(1), f.arg(2), f.arg(3)
	at, count := f.fresh(), f.fresh()
	f.does(
		while(get(n),
			set(n, sub(get(n), num(1))),
			set(at, add(s.cell.call(get(x), get(y)), sub(remainder(shr(s.random.call(), num(3)), num(5)), num(2)))),
			when(isZero(byteAt(cells, get(at))),
				putByte(cells, get(at), or(get(kind), shl(and(shr(s.random.call(), num(7)), num(shadeMax)), num(shadeBits)))),
				set(count, add(get(count), num(1))))),
		get(count),
	)
}

// step moves every grain by at most one row and returns how many moved. Rows go from the bottom up, so that no grain moves twice, and
// alternate between left and right at random, so that nothing drifts. The lowest row is a drain.
func (s *silt) addStep() {
	slip := s.addSlip()
	f := s.function("step", 0, true)
	k, y, at, flip, c, count := f.fresh(), f.fresh(), f.fresh(), f.fresh(), f.fresh(), f.fresh()
	last := sub(load(s.height), num(1))
	f.does(
		each(k, num(1), sub(load(s.width), num(1)),
			set(at, s.cell.call(get(k), last)),
			when(s.isSand.call(byteAt(cells, get(at))), putByte(cells, get(at), num(0)))),
		set(y, last),
		while(get(y),
			set(y, sub(get(y), num(1))),
			set(flip, and(shr(s.random.call(), num(11)), num(1))),
			each(k, num(1), sub(load(s.width), num(1)),
				either(get(flip),
					set(at, s.cell.call(sub(sub(load(s.width), num(1)), get(k)), get(y))),
					set(at, s.cell.call(get(k), get(y)))),
				set(c, byteAt(cells, get(at))),
				when(s.isSand.call(get(c)), set(count, add(get(count), slip.call(get(at), get(c))))))),
		get(count),
	)
}

// slip moves the grain at an offset: straight down, else down to a side taken at random, else two aside and one down, which is what lets
// dry sand run along a gentle slope. It returns 1 if the grain moved.
func (s *silt) addSlip() *function {
	f := s.function("", 2, true)
	at, c, side, down := f.arg(0), f.arg(1), f.fresh(), f.fresh()
	free := func(where code) code { return isZero(byteAt(cells, where)) }
	move := func(to code) code {
		return cat(putByte(cells, to, get(c)), putByte(cells, get(at), num(0)), give(num(1)))
	}
	beside := add(get(at), get(side))
	diagonal := cat(when(free(beside),
		when(free(add(get(down), get(side))), move(add(get(down), get(side))))))
	glide := when(free(beside), when(free(add(beside, get(side))),
		when(free(add(get(down), shl(get(side), num(1)))), move(add(get(down), shl(get(side), num(1)))))))
	turn := set(side, sub(num(0), get(side)))
	f.does(
		set(down, add(get(at), load(s.width))),
		when(free(get(down)), move(get(down))),
		set(side, sub(and(shr(s.random.call(), num(10)), num(2)), num(1))),
		diagonal, turn, diagonal, glide, turn, glide,
		num(0),
	)
	return f
}

// tally(x, y, w, h, kind) counts the grains of one kind in a rectangle; grains of the other kinds in it dissolve.
func (s *silt) addTally() {
	f := s.function("tally", 5, true)
	i, j, at, c, count := f.fresh(), f.fresh(), f.fresh(), f.fresh(), f.fresh()
	f.does(
		each(j, get(f.arg(1)), add(get(f.arg(1)), get(f.arg(3))),
			each(i, get(f.arg(0)), add(get(f.arg(0)), get(f.arg(2))),
				set(at, s.cell.call(get(i), get(j))),
				set(c, byteAt(cells, get(at))),
				when(s.isSand.call(get(c)),
					either(eq(and(get(c), num(7)), get(f.arg(4))),
						set(count, add(get(count), num(1))),
						cat(putByte(cells, get(at), num(0)), store(s.lost, add(load(s.lost), num(1)))))))),
		get(count),
	)
}

// spoilt is how many grains tally dissolved since it was last asked.
func (s *silt) addSpoilt() {
	f := s.function("spoilt", 0, true)
	n := f.fresh()
	f.does(set(n, load(s.lost)), store(s.lost, num(0)), get(n))
}

// loose(kind, bottom) counts the grains of one kind above the row bottom, wherever they are.
func (s *silt) addLoose() {
	f := s.function("loose", 2, true)
	i, count := f.fresh(), f.fresh()
	f.does(
		each(i, num(0), mul(load(s.width), get(f.arg(1))),
			set(count, add(get(count), eq(and(byteAt(cells, get(i)), num(7)), get(f.arg(0)))))),
		get(count),
	)
}

// paint turns the grid into pixels. A cell is lit where solid and empty meet above it: the rim of the ground, the top of a heap, the shade
// under a ceiling.
func (s *silt) addPaint() {
	f := s.function("paint", 0, false)
	i, c, v := f.fresh(), f.fresh(), f.fresh()
	f.does(
		each(i, load(s.width), mul(load(s.width), load(s.height)),
			set(c, byteAt(cells, get(i))),
			set(v, get(c)),
			when(isZero(get(c)), set(v, byteAt(behind, get(i)))),
			when(ne(isZero(get(c)), isZero(byteAt(cells, sub(get(i), load(s.width))))), set(v, or(get(v), num(lit)))),
			putWord(pixels, shl(get(i), num(2)), wordAt(palette, shl(get(v), num(2))))),
	)
}
