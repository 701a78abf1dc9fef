package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A size is a number of bytes in a setting. It is parsed in the forms that people use, and printed in a form that can
// be parsed again.
type size int64

// mostSize is more than any disk, and leaves room for sums of sizes.
const mostSize size = 1 << 50

// errSize reports a text that is not a size.
var errSize = errors.New("a size is a whole number, of bytes or with a unit, such as 65536, 64K, 100MB or 1GiB")

// sizeUnits are powers of 1024 in every spelling: nobody who writes 100MB for a limit means it to the byte.
const sizeUnits = "BKMGTP"

var sizeForm = regexp.MustCompile(`(?i)^\s*([0-9]+)\s*(?:([KMGTP])i?)?B?\s*$`)

// UnmarshalText reads "65536", "64K", "64KB", "64Ki", "64KiB" and "64 kib", all the same.
func (s *size) UnmarshalText(text []byte) error {
	parts := sizeForm.FindStringSubmatch(string(text))
	if parts == nil {
		return fmt.Errorf("%q: %w", text, errSize)
	}
	shift := 10 * strings.Index(sizeUnits, strings.ToUpper(parts[2])) // 0 without a unit
	n, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil || n > uint64(mostSize)>>shift {
		return fmt.Errorf("%q is too large: the most is %s", text, mostSize)
	}
	*s = size(n << shift)
	return nil
}

// String returns the size in the largest unit that divides it.
func (s size) String() string {
	for i := len(sizeUnits) - 1; i > 0 && s != 0; i-- {
		if shift := 10 * i; s&(1<<shift-1) == 0 {
			return fmt.Sprintf("%d%ciB", s>>shift, sizeUnits[i])
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
