// The open-loop load generator: sends requests at fixed times, whether earlier ones have been answered or not, and
// measures each from the time it was due. A closed loop would wait with a slow server and not see what its clients see.
//
// It sends one POST per request, with the key's number in place of @KEY@ in the head, and prints one line of JSON.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sort"
	"strconv"
	"sync"
	"time"
)

// More requests than these are not let wait at a time: a server that is so far behind has failed the run.
const mostWaiting = 1024

type connection struct {
	net.Conn
	reader *bufio.Reader
}

func main() {
	address := flag.String("address", "", "host:port of the server")
	rate := flag.Int("rate", 500, "requests per second")
	seconds := flag.Int("seconds", 5, "length of the run")
	headFile := flag.String("head", "", "file with a request's head; @KEY@ stands for the key")
	bodyFile := flag.String("body", "", "file with a request's content")
	prefix := flag.String("prefix", "open", "what keys begin with")
	flag.Parse()
	front, back, found := bytes.Cut(read(*headFile), []byte("@KEY@"))
	if !found {
		log.Fatal("the head has no @KEY@")
	}
	back = append(append([]byte(nil), back...), read(*bodyFile)...)

	total := *rate * *seconds
	latencies := make([]time.Duration, total)
	failures := make([]error, total)
	idle := make(chan *connection, mostWaiting)
	slots := make(chan struct{}, mostWaiting)
	var waiting sync.WaitGroup
	start := time.Now().Add(100 * time.Millisecond)
	for i := 0; i < total; i++ {
		due := start.Add(time.Duration(i) * time.Second / time.Duration(*rate))
		time.Sleep(time.Until(due))
		slots <- struct{}{}
		waiting.Add(1)
		go func(i int, due time.Time) {
			defer func() { <-slots; waiting.Done() }()
			key := *prefix + "-" + strconv.Itoa(i)
			failures[i] = send(*address, idle, bytes.Join([][]byte{front, back}, []byte(key)))
			latencies[i] = time.Since(due)
		}(i, due)
	}
	waiting.Wait()
	report(latencies, failures)
}

func read(path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	return content
}

// send makes one exchange, on a kept connection where there is one.
func send(address string, idle chan *connection, request []byte) error {
	var c *connection
	select {
	case c = <-idle:
	default:
		socket, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		c = &connection{socket, bufio.NewReaderSize(socket, 64<<10)}
	}
	if _, err := c.Write(request); err != nil {
		c.Close()
		return err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		c.Close()
		return err
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		c.Close()
		return err
	}
	if response.StatusCode != http.StatusOK {
		c.Close()
		return fmt.Errorf("status %d", response.StatusCode)
	}
	idle <- c
	return nil
}

func report(latencies []time.Duration, failures []error) {
	failed := 0
	first := ""
	for _, err := range failures {
		if err != nil {
			failed++
			if first == "" {
				first = err.Error()
			}
		}
	}
	sort.Slice(latencies, func(i, j int) bool { return latencies[i] < latencies[j] })
	micros := func(share float64) int64 { return latencies[int(share*float64(len(latencies)-1))].Microseconds() }
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"requests": len(latencies), "failed": failed, "firstFailure": first,
		"p50": micros(0.5), "p99": micros(0.99), "worst": micros(1),
	})
}
