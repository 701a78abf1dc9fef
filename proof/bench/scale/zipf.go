package main

import (
	"math"
	"math/rand/v2"
)

// A Zipf is a skew: of n projects, the i-th most popular is requested in proportion to 1/i^s. All its methods except
// Draw may be called concurrently.
type Zipf struct {
	n, s  float64
	total float64 // sum of all weights
	// For Draw, by W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
	// distributions" (1996): the standard library's needs s above 1.
	low, high, cut float64
}

// NewZipf returns a skew of n projects, at least 1, with s above 0.
func NewZipf(n int, s float64) Zipf {
	z := Zipf{n: float64(n), s: s}
	z.total = z.between(1, n)
	z.low, z.high = z.area(1.5)-1, z.area(z.n+0.5)
	z.cut = 2 - z.back(z.area(2.5)-math.Pow(2, -s))
	return z
}

// Draw returns the rank of a project, from 1 on.
func (z Zipf) Draw(r *rand.Rand) int {
	for {
		u := z.high + r.Float64()*(z.low-z.high)
		x := z.back(u)
		k := min(max(math.Floor(x+0.5), 1), z.n)
		if k-x <= z.cut || u >= z.area(k+0.5)-math.Pow(k, -z.s) {
			return int(k)
		}
	}
}

// Share returns the part of all requests that is for the k-th project.
func (z Zipf) Share(k int) float64 { return math.Pow(float64(k), -z.s) / z.total }

// area returns an integral of x^-s; back is its inverse.
func (z Zipf) area(x float64) float64 {
	if math.Abs(z.s-1) < 1e-9 {
		return math.Log(x)
	}
	return (math.Pow(x, 1-z.s) - 1) / (1 - z.s)
}

func (z Zipf) back(u float64) float64 {
	if math.Abs(z.s-1) < 1e-9 {
		return math.Exp(u)
	}
	return math.Pow(max(0, 1+u*(1-z.s)), 1/(1-z.s))
}

// exact is the rank up to which sums are taken one by one; ranks beyond it differ so little that a stretch of them is
// taken as one.
const exact = 100_000

// between returns the sum of the weights of the ranks from a to b.
func (z Zipf) between(a, b int) (sum float64) {
	for k := a; k <= min(b, exact); k++ {
		sum += math.Pow(float64(k), -z.s)
	}
	if a = max(a, exact+1); a <= b {
		sum += z.area(float64(b)+0.5) - z.area(float64(a)-0.5)
	}
	return sum
}

// Sum returns the sum of f over each project's share.
func (z Zipf) Sum(f func(share float64) float64) (sum float64) {
	n := int(z.n)
	for k := 1; k <= min(n, exact); k++ {
		sum += f(z.Share(k))
	}
	for a := exact + 1; a <= n; {
		b := min(n, a+a/100)
		sum += float64(b-a+1) * f(z.between(a, b)/z.total/float64(b-a+1))
		a = b + 1
	}
	return sum
}

// Distinct returns the average number of different projects among that many requests.
func (z Zipf) Distinct(requests float64) float64 {
	return z.Sum(func(p float64) float64 { return -math.Expm1(-p * requests) })
}
