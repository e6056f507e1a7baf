// The platform of the realtime benchmark: takes the audio of native sessions, measures how long each record was on its
// way, breaks connections where it is told to, and answers an end frame with a prepared result.
//
// A connection's records must come in order and from the first on: audio that is sent again after a break must be what was
// sent before. GET /__latency answers with what was measured since the last time, as JSON.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"sort"
	"sync"
	"time"

	"speechgate/benchmarks/peers/frames"
)

type heard struct {
	next     uint64
	isBroken bool
}

type platform struct {
	result []byte

	mutex       sync.Mutex
	sessions    map[uint64]*heard
	latencies   []int32 // microseconds, of each record's first arrival
	breaks      int
	evaluations int
	mistakes    int
	first       string
}

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	evaluation := flag.String("evaluation", "", "file with the JSON object that is answered to an end frame")
	flag.Parse()
	content, err := os.ReadFile(*evaluation)
	if err != nil {
		log.Fatal(err)
	}
	result := append([]byte(`{"event":"result",`), content[1:]...)
	p := &platform{result: frames.Append(nil, frames.Text, result, false), sessions: map[uint64]*heard{}}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go p.serve(connection)
	}
}

func (p *platform) serve(connection net.Conn) {
	defer connection.Close()
	reader, target, isWebSocket, err := frames.Accept(connection)
	if err != nil {
		return
	}
	if !isWebSocket {
		body := []byte("{}")
		if target == "/__latency" {
			body = p.measured()
		}
		fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"+
			"Content-Length: %d\r\n\r\n%s", len(body), body)
		return
	}
	if err := p.talk(connection, reader); err != nil {
		p.mistake(err.Error())
	}
}

// talk holds one session; an error is something that the other side should not have done.
func (p *platform) talk(connection net.Conn, reader *bufio.Reader) error {
	say := func(text string) { connection.Write(frames.Append(nil, frames.Text, []byte(text), false)) }
	say(`{"event":"connected","message":"stream channel ready"}`)
	buffer, audio := make([]byte, 0, 1<<10), make([]byte, 0, 2<<10)
	number := uint64(0)
	for {
		kind, content, err := frames.Read(reader, buffer)
		if err != nil {
			return nil // who leaves without a word is counted where a result is missed
		}
		switch kind {
		case frames.Close:
			connection.Write(frames.Append(nil, frames.Close, content, false))
			return nil
		case frames.Ping:
			connection.Write(frames.Append(nil, frames.Pong, content, false))
		case frames.Text:
			switch {
			case frames.Has(content, `"start"`):
				say(`{"event":"started"}`)
			case frames.Has(content, `"ping"`):
				say(`{"event":"pong","ts":0}`)
			case frames.Has(content, `"end"`):
				p.mutex.Lock()
				p.evaluations++
				p.mutex.Unlock()
				connection.Write(p.result)
			}
		case frames.Binary:
			now := time.Now().UnixNano()
			audio = append(audio, content...)
			used := 0
			for ; len(audio)-used >= frames.RecordBytes; used += frames.RecordBytes {
				record := frames.Get(audio[used:])
				if record.Number != number {
					return fmt.Errorf("session %d: record %d came as number %d", record.Session, record.Number, number)
				}
				number++
				if p.hear(record, now) {
					connection.(*net.TCPConn).SetLinger(0)
					return nil
				}
			}
			audio = append(audio[:0], audio[used:]...)
		}
	}
}

// hear notes a record; true when the connection is to break.
func (p *platform) hear(record frames.Record, now int64) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	session := p.sessions[record.Session]
	if session == nil {
		session = &heard{}
		p.sessions[record.Session] = session
	}
	if record.Breaks && !session.isBroken {
		session.isBroken = true
		p.breaks++
		return true
	}
	if record.Number == session.next {
		session.next++
		p.latencies = append(p.latencies, int32((now-record.Due)/1000))
	}
	return false
}

func (p *platform) mistake(text string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.mistakes++
	if p.first == "" {
		p.first = text
	}
}

func (p *platform) measured() []byte {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	all := p.latencies
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	micros := func(share float64) int32 {
		if len(all) == 0 {
			return 0
		}
		return all[int(share*float64(len(all)-1))]
	}
	body, _ := json.Marshal(map[string]any{
		"records": len(all), "p50": micros(0.5), "p99": micros(0.99), "p999": micros(0.999), "worst": micros(1),
		"breaks": p.breaks, "evaluations": p.evaluations, "mistakes": p.mistakes, "firstMistake": p.first,
	})
	p.latencies, p.sessions = nil, map[uint64]*heard{}
	p.breaks, p.evaluations, p.mistakes, p.first = 0, 0, 0, ""
	return body
}
