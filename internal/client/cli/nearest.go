package cli

import "strings"

// Nearest is the one of a list that a word was most likely to be, at most two slips away from it; empty if none is.
func Nearest(word string, list []string) (nearest string) {
	most := min(3, len(word))
	for _, one := range list {
		if d := slips(strings.ToLower(word), strings.ToLower(one)); d < most {
			nearest, most = one, d
		}
	}
	return nearest
}

// slipsMost bounds the words that are compared, in bytes: names of files and of flags are shorter.
const slipsMost = 255

// slips counts the letters that have to be put in, taken out, changed or swapped with the next to make one word of another.
func slips(a, b string) int {
	if len(a) > slipsMost || len(b) > slipsMost {
		return slipsMost
	}
	before, row := []int(nil), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := append(make([]int, 0, len(b)+1), i+1)
		for j := range len(b) {
			cost := row[j]
			if a[i] != b[j] {
				cost = 1 + min(row[j], row[j+1], next[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, before[j-1]+1)
			}
			next = append(next, cost)
		}
		before, row = row, next
	}
	return row[len(b)]
}
