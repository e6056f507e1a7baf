// The load of the realtime benchmark: native sessions that speak at the pace of speech, each 50 records of 640 bytes a
// second, whether the other side keeps up or not. A record carries the time at which it was due, and so does what a slow
// other side delays.
//
// Prints one line of JSON: how many sessions got one result, one error, both, or neither.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"speechgate/benchmarks/peers/frames"
)

const (
	pace = 20 * time.Millisecond
	// Sessions are spread over the pace, so that their records do not all come at one moment.
	slots = 20
)

type session struct {
	connection net.Conn
	// Guards what is written: records, and answers to pings.
	mutex           sync.Mutex
	out             []byte
	results, errors int
	failure         string
	isStarted       chan struct{}
	isDone          chan struct{}
}

func main() {
	address := flag.String("address", "", "host:port of the server")
	path := flag.String("path", "/api/v1/ws/evaluate", "path of the handshake")
	count := flag.Int("sessions", 1000, "how many speak at a time")
	seconds := flag.Int("seconds", 60, "how long each speaks")
	broken := flag.Int("broken", 0, "of a hundred sessions, so many meet a break in the middle")
	keys := flag.String("keys", "", "API keys with commas between them, taken in turn")
	prefix := flag.String("prefix", "speakers", "what idempotency keys begin with")
	flag.Parse()

	all := make([]*session, *count)
	var opening sync.WaitGroup
	limit := make(chan struct{}, 32)
	for i := range all {
		all[i] = &session{isStarted: make(chan struct{}), isDone: make(chan struct{})}
		fields := ""
		if list := strings.Split(*keys, ","); *keys != "" {
			fields = "Authorization: Bearer " + list[i%len(list)] + "\r\n"
		}
		opening.Add(1)
		go func(s *session, key, fields string) {
			defer opening.Done()
			limit <- struct{}{}
			defer func() { <-limit }()
			s.open(*address, *path, fields, key)
		}(all[i], fmt.Sprintf("%s-%d", *prefix, i), fields)
	}
	opening.Wait()

	start := time.Now().Add(200 * time.Millisecond)
	var speaking sync.WaitGroup
	for slot := 0; slot < slots; slot++ {
		speaking.Add(1)
		go func(slot int) {
			defer speaking.Done()
			speak(all, slot, start, *seconds*int(time.Second/pace), *broken)
		}(slot)
	}
	speaking.Wait()
	deadline := time.After(60 * time.Second)
	for _, s := range all {
		select {
		case <-s.isDone:
		case <-deadline:
		}
		if s.connection != nil {
			s.connection.Close()
		}
	}
	report(all)
}

// speak sends the records of every slots-th session, and their end frames.
func speak(all []*session, slot int, start time.Time, total, broken int) {
	record := make([]byte, frames.RecordBytes)
	for number := 0; number <= total; number++ {
		due := start.Add(time.Duration(number)*pace + time.Duration(slot)*pace/slots)
		time.Sleep(time.Until(due))
		for i := slot; i < len(all); i += slots {
			if number == total {
				all[i].write(frames.Text, []byte(`{"cmd":"end"}`))
				continue
			}
			frames.Record{
				Session: uint64(i), Number: uint64(number), Due: due.UnixNano(),
				Breaks: number == total/2 && i%100 < broken,
			}.Put(record)
			all[i].write(frames.Binary, record)
		}
	}
}

func (s *session) open(address, path, fields, key string) {
	connection, reader, err := frames.Dial(address, path, fields)
	if err != nil {
		s.failure = err.Error()
		close(s.isDone)
		return
	}
	s.connection = connection
	go s.read(reader)
	s.write(frames.Text, []byte(`{"cmd":"start","coreType":"sentence","language":"en-US",`+
		`"referenceText":"The early bird catches the worm","idempotencyKey":"`+key+`"}`))
	select {
	case <-s.isStarted:
	case <-s.isDone:
	case <-time.After(20 * time.Second):
	}
}

func (s *session) write(kind byte, content []byte) {
	if s.connection == nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.out = frames.Append(s.out[:0], kind, content, true)
	s.connection.Write(s.out)
}

func (s *session) read(reader *bufio.Reader) {
	defer close(s.isDone)
	var buffer []byte
	for {
		kind, content, err := frames.Read(reader, buffer)
		if err != nil {
			s.failure = err.Error()
			return
		}
		buffer = content
		switch {
		case kind == frames.Ping:
			s.write(frames.Pong, content)
		case kind == frames.Close:
			s.failure = "closed"
			if len(content) >= 2 {
				s.failure = fmt.Sprintf("closed with %d %s", int(content[0])<<8|int(content[1]), content[2:])
			}
			return
		case kind != frames.Text:
		case frames.Has(content, `"event":"started"`):
			close(s.isStarted)
		case frames.Has(content, `"event":"result"`):
			s.results++
			return
		case frames.Has(content, `"event":"error"`):
			s.errors++
			s.failure = string(content)
			return
		}
	}
}

func report(all []*session) {
	counts := map[string]int{"results": 0, "errors": 0, "none": 0}
	first := ""
	for _, s := range all {
		switch {
		case s.results == 1:
			counts["results"]++
		case s.errors == 1:
			counts["errors"]++
		default:
			counts["none"]++
		}
		if s.results == 0 && first == "" {
			first = s.failure
		}
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"sessions": len(all), "results": counts["results"], "errors": counts["errors"], "none": counts["none"],
		"firstFailure": first,
	})
}
