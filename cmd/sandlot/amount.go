package main

import "strconv"

// amount is a number of things that take an "s" if they are not one.
func amount[N int | int64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.FormatInt(int64(n), 10) + " " + thing
}

// damage tells how much of the data is damaged.
func damage(n int64) string {
	if n == 1 {
		return "1 item is damaged or missing"
	}
	return amount(n, "item") + " are damaged or missing"
}
