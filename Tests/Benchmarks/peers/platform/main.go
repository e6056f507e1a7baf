// The platform of the benchmarks: reads each request whole and answers at once with prepared bytes.
//
// It stands on raw connections, because net/http would cost more than the gateway under test. Every POST is a fresh
// evaluation: twelve hex digits of the answer's recordId count up. It is no HTTP server for any other purpose.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// The twelve digits in the evaluation's file that are replaced by the serial number.
var placeholder = []byte("eval_000000000000")

var evaluations atomic.Uint64

type answers struct{ evaluation, report, record []byte }

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	evaluation := flag.String("evaluation", "", "file answered to every POST, with a recordId of eval_000000000000")
	report := flag.String("report", "", "file answered to GET /api/v1/report/…")
	flag.Parse()
	a := answers{evaluation: read(*evaluation), report: read(*report)}
	a.record = a.evaluation
	if !bytes.Contains(a.evaluation, placeholder) {
		log.Fatalf("%s has no %s", *evaluation, placeholder)
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go serve(connection, a)
	}
}

func read(path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	return content
}

// serve answers one connection's requests until it closes. Anything it does not expect closes it, and the load
// generator reports that as an error of the run.
func serve(connection net.Conn, a answers) {
	defer connection.Close()
	reader := bufio.NewReaderSize(connection, 64<<10)
	evaluation := append([]byte(nil), a.evaluation...)
	digits := evaluation[bytes.Index(evaluation, placeholder)+len("eval_"):][:12]
	out := make([]byte, 0, len(evaluation)+512)
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return
		}
		isPost := bytes.HasPrefix(line, []byte("POST "))
		isReport := bytes.HasPrefix(line, []byte("GET /api/v1/report/"))
		isCount := bytes.HasPrefix(line, []byte("GET /__count "))
		length, ok := readFields(reader)
		if !ok {
			return
		}
		if _, err := reader.Discard(length); err != nil {
			return
		}
		body := a.record
		switch {
		case isPost:
			copy(digits, fmt.Sprintf("%012x", evaluations.Add(1)))
			body = evaluation
		case isReport:
			body = a.report
		case isCount:
			body = strconv.AppendUint(nil, evaluations.Load(), 10)
		}
		out = append(out[:0], "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: "...)
		out = time.Now().UTC().AppendFormat(out, "Mon, 02 Jan 2006 15:04:05 GMT")
		out = append(out, "\r\nContent-Length: "...)
		out = strconv.AppendInt(out, int64(len(body)), 10)
		out = append(out, "\r\n\r\n"...)
		out = append(out, body...)
		if _, err := connection.Write(out); err != nil {
			return
		}
	}
}

// readFields reads up to the empty line and returns the content's length.
func readFields(reader *bufio.Reader) (length int, ok bool) {
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return 0, false
		}
		if len(line) <= 2 {
			return length, true
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte("content-length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, false
			}
		case bytes.EqualFold(name, []byte("transfer-encoding")):
			return 0, false
		}
	}
}
