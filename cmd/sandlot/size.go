package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A size is a number of bytes in a setting. It is parsed in the forms that people use, and printed in a form that can
// be parsed again.
type size int64

// mostSize is more than any disk, and leaves room for sums of sizes.
const mostSize size = 1 << 50

// sizeUnits are powers of 1024 in every spelling: nobody who writes 100MB for a limit means it to the byte.
var sizeUnits = []struct {
	name  string
	shift uint
}{{"PiB", 50}, {"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}}

// errSize reports a text that is not a size.
var errSize = errors.New("a size is a whole number, of bytes or with a unit, such as 65536, 64K, 100MB or 1GiB")

// UnmarshalText reads "65536", "64K", "64KB", "64Ki", "64KiB" and "64 kib", all the same.
func (s *size) UnmarshalText(text []byte) error {
	trimmed := strings.TrimSpace(string(text))
	digits := strings.TrimRight(trimmed, "bBiIkKmMgGtTpP \t")
	shift, ok := unitShift(strings.TrimSpace(trimmed[len(digits):]))
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return fmt.Errorf("%q: %w", text, errSize)
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > uint64(mostSize)>>shift {
		return fmt.Errorf("%q is too large: the most is %s", text, mostSize)
	}
	*s = size(n << shift)
	return nil
}

// unitShift returns the exponent of two for a unit.
func unitShift(unit string) (shift uint, ok bool) {
	if unit == "" || strings.EqualFold(unit, "B") {
		return 0, true
	}
	for _, u := range sizeUnits {
		for _, spelling := range []string{u.name, u.name[:1], u.name[:1] + "B", u.name[:2]} {
			if strings.EqualFold(unit, spelling) {
				return u.shift, true
			}
		}
	}
	return 0, false
}

// String returns the size in the largest unit that divides it.
func (s size) String() string {
	for _, u := range sizeUnits {
		if s != 0 && s&(1<<u.shift-1) == 0 {
			return strconv.FormatInt(int64(s>>u.shift), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// about returns the size rounded down to a readable number of digits.
func (s size) about() size {
	if s >= 16<<20 {
		return s &^ (1<<20 - 1)
	}
	return s &^ (1<<10 - 1)
}

// readSize returns the size as a plain number, for texts that contain a size.
func readSize(text string) (int64, error) {
	var s size
	err := s.UnmarshalText([]byte(text))
	return int64(s), err
}
