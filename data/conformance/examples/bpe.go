// Byte pair encoding in Go, and the conformance kit's protocol of numbers.
//
// Run it: go build bpe.go && bpe-teach conform --numbers -- ./bpe
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

type pair struct{ left, right int }

// merge replaces a pair by a new id, from left to right.
func merge(ids []int, wanted pair, newID int) []int {
	merged := []int{}
	for i := 0; i < len(ids); i++ {
		if i+1 < len(ids) && (pair{ids[i], ids[i+1]}) == wanted {
			merged = append(merged, newID)
			i++
		} else {
			merged = append(merged, ids[i])
		}
	}
	return merged
}

// train learns merges. A map has no order, so ties fall in another way each time.
func train(ids []int, wanted int) []int {
	learned := []int{}
	for rank := 0; rank < wanted; rank++ {
		counts := map[pair]int{}
		for i := 0; i+1 < len(ids); i++ {
			counts[pair{ids[i], ids[i+1]}]++
		}
		best, most := pair{}, 0
		for candidate, count := range counts {
			if count > most {
				best, most = candidate, count
			}
		}
		if most == 0 {
			break
		}
		ids = merge(ids, best, 256+rank)
		learned = append(learned, best.left, best.right)
	}
	return learned
}

// encode merges the pair of lowest rank, the leftmost of equals, until no pair has a rank.
func encode(ids []int, merges []pair) []int {
	ranks := map[pair]int{}
	for rank, known := range merges {
		ranks[known] = rank
	}
	for {
		lowest, place := len(merges), -1
		for i := 0; i+1 < len(ids); i++ {
			if rank, known := ranks[pair{ids[i], ids[i+1]}]; known && rank < lowest {
				lowest, place = rank, i
			}
		}
		if place < 0 {
			return ids
		}
		ids = append(append(ids[:place:place], 256+lowest), ids[place+2:]...)
	}
}

// decode returns the bytes of ids, as numbers.
func decode(ids []int, merges []pair) ([]int, error) {
	tokens := [][]int{}
	for i := 0; i < 256; i++ {
		tokens = append(tokens, []int{i})
	}
	for _, known := range merges {
		token := append([]int{}, tokens[known.left]...)
		tokens = append(tokens, append(token, tokens[known.right]...))
	}
	decoded := []int{}
	for _, id := range ids {
		if id < 0 || id >= len(tokens) {
			return nil, fmt.Errorf("there is no id %d", id)
		}
		decoded = append(decoded, tokens[id]...)
	}
	return decoded, nil
}

// own are the merges that were learned last; encode_own and decode_own use them.
var own []pair

func answer(what string, numbers []int) string {
	if what == "encode_own" {
		return strings.Trim(fmt.Sprint(encode(numbers, own)), "[]")
	}
	if what == "decode_own" {
		return answerBytes(numbers, own)
	}
	size := numbers[0]
	numbers = numbers[1:]
	if what == "train" {
		learned := train(numbers, size)
		own = []pair{}
		for rank := 0; rank+1 < len(learned); rank += 2 {
			own = append(own, pair{learned[rank], learned[rank+1]})
		}
		return strings.Trim(fmt.Sprint(learned), "[]")
	}
	merges := []pair{}
	for rank := 0; rank < size; rank++ {
		merges = append(merges, pair{numbers[2*rank], numbers[2*rank+1]})
	}
	items := numbers[2*size:]
	if what == "encode" {
		return strings.Trim(fmt.Sprint(encode(items, merges)), "[]")
	}
	return answerBytes(items, merges)
}

func answerBytes(ids []int, merges []pair) string {
	decoded, err := decode(ids, merges)
	if err != nil {
		return "error: " + err.Error()
	}
	return strings.Trim(fmt.Sprint(decoded), "[]")
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		numbers := []int{}
		for _, field := range fields[1:] {
			number, _ := strconv.Atoi(field)
			numbers = append(numbers, number)
		}
		fmt.Println(answer(fields[0], numbers))
	}
}
