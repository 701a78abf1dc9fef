package main

import "strconv"

// amount returns a number with the name of the things, which takes an "s" unless there is one.
func amount[N int | int64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.FormatInt(int64(n), 10) + " " + thing
}

// damage returns the sentence about n damaged items.
func damage(n int64) string {
	if n == 1 {
		return "1 item is damaged or missing"
	}
	return amount(n, "item") + " are damaged or missing"
}
