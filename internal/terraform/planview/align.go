package planview

import "github.com/zclconf/go-cty/cty"

// pair has the indexes of an element in before and in after; -1 if it is not in one of them.
type pair struct{ before, after int }

// alignAtMost limits the number of comparisons of elements of two lists.
const alignAtMost = 1 << 18

// align pairs the elements of two lists: those of a longest common subsequence, and between
// them, where inside is true, those at the same distance.
func align(before, after []cty.Value, inside func(i int) bool) []pair {
	return alignFunc(len(before), len(after), func(i, j int) bool { return before[i].RawEquals(after[j]) }, inside)
}

func alignFunc(n, m int, equal func(i, j int) bool, inside func(i int) bool) []pair {
	var out, tail []pair
	i, j := 0, 0
	for i < n && j < m && equal(i, j) {
		out = append(out, pair{i, j})
		i, j = i+1, j+1
	}
	for n > i && m > j && equal(n-1, m-1) {
		n, m = n-1, m-1
		tail = append(tail, pair{n, m})
	}
	gap := func(toI, toJ int) {
		for i < toI && j < toJ && inside(j) {
			out = append(out, pair{i, j})
			i, j = i+1, j+1
		}
		for ; i < toI; i++ {
			out = append(out, pair{i, -1})
		}
		for ; j < toJ; j++ {
			out = append(out, pair{-1, j})
		}
	}
	if rows, cols := n-i, m-j; rows > 0 && cols > 0 && rows*cols <= alignAtMost {
		i0, j0 := i, j
		// length[r][c] is the length of the longest common subsequence after r and c.
		length := make([][]int, rows+1)
		for r := range length {
			length[r] = make([]int, cols+1)
		}
		equals := make([]bool, rows*cols)
		for r := rows - 1; r >= 0; r-- {
			for c := cols - 1; c >= 0; c-- {
				if equal(i0+r, j0+c) {
					equals[r*cols+c] = true
					length[r][c] = length[r+1][c+1] + 1
				} else {
					length[r][c] = max(length[r+1][c], length[r][c+1])
				}
			}
		}
		for r, c := 0, 0; r < rows && c < cols; {
			switch {
			case equals[r*cols+c]:
				gap(i0+r, j0+c)
				out = append(out, pair{i, j})
				i, j, r, c = i+1, j+1, r+1, c+1
			case length[r+1][c] >= length[r][c+1]:
				r++
			default:
				c++
			}
		}
	}
	gap(n, m)
	for k := len(tail) - 1; k >= 0; k-- {
		out = append(out, tail[k])
	}
	return out
}
