// Package frames is as much of WebSocket (RFC 6455) as the realtime benchmark needs: a handshake, whole frames, and the
// records that its audio consists of.
package frames

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// What frames are.
const (
	Text   = 1
	Binary = 2
	Close  = 8
	Ping   = 9
	Pong   = 10
)

const key = "c3BlZWNoZ2F0ZSBiZW5jaA=="

func accept(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Dial connects and shakes hands; fields are further lines of the request, each ended by CRLF.
func Dial(address, path, fields string) (net.Conn, *bufio.Reader, error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n%s\r\n", path, address, key, fields)
	reader := bufio.NewReaderSize(connection, 2<<10)
	line, values, err := head(reader)
	if err == nil && !strings.HasPrefix(line, "HTTP/1.1 101 ") {
		err = fmt.Errorf("the handshake was answered with %q", line)
	}
	if err == nil && values["sec-websocket-accept"] != accept(key) {
		err = errors.New("the handshake was answered with another key")
	}
	if err != nil {
		connection.Close()
		return nil, nil, err
	}
	return connection, reader, nil
}

// Accept reads a request. One that asks for a WebSocket is granted; of another one only the target is returned.
func Accept(connection net.Conn) (reader *bufio.Reader, target string, isWebSocket bool, err error) {
	reader = bufio.NewReaderSize(connection, 4<<10)
	line, values, err := head(reader)
	if err != nil {
		return nil, "", false, err
	}
	parts := strings.Split(line, " ")
	if len(parts) != 3 {
		return nil, "", false, fmt.Errorf("no request: %q", line)
	}
	key, isWebSocket := values["sec-websocket-key"]
	if isWebSocket {
		_, err = fmt.Fprintf(connection, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"+
			"Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", accept(key))
	}
	return reader, parts[1], isWebSocket, err
}

func head(reader *bufio.Reader) (line string, values map[string]string, err error) {
	values = map[string]string{}
	for {
		next, err := reader.ReadString('\n')
		if err != nil {
			return "", nil, err
		}
		next = strings.TrimRight(next, "\r\n")
		if next == "" {
			return line, values, nil
		}
		if line == "" {
			line = next
		} else if name, value, found := strings.Cut(next, ":"); found {
			values[strings.ToLower(name)] = strings.TrimSpace(value)
		}
	}
}

// Append adds a whole frame; a client's is masked, with zeros.
func Append(to []byte, kind byte, content []byte, isClient bool) []byte {
	mask := byte(0)
	if isClient {
		mask = 0x80
	}
	to = append(to, 0x80|kind)
	switch n := len(content); {
	case n < 126:
		to = append(to, mask|byte(n))
	case n < 1<<16:
		to = binary.BigEndian.AppendUint16(append(to, mask|126), uint16(n))
	default:
		to = binary.BigEndian.AppendUint64(append(to, mask|127), uint64(n))
	}
	if isClient {
		to = append(to, 0, 0, 0, 0)
	}
	return append(to, content...)
}

// Read reads a whole frame into buffer, which may grow; fragments are refused, since nobody here sends any.
func Read(reader *bufio.Reader, buffer []byte) (kind byte, content []byte, err error) {
	first, err := reader.ReadByte()
	if err != nil {
		return 0, nil, err
	}
	second, err := reader.ReadByte()
	if err != nil {
		return 0, nil, err
	}
	if first&0xF0 != 0x80 {
		return 0, nil, fmt.Errorf("a frame begins with %#x", first)
	}
	length := uint64(second & 0x7F)
	var wide [8]byte
	if count := map[uint64]int{126: 2, 127: 8}[length]; count > 0 {
		if _, err := io.ReadFull(reader, wide[8-count:]); err != nil {
			return 0, nil, err
		}
		length = binary.BigEndian.Uint64(wide[:])
	}
	if length > 1<<20 {
		return 0, nil, fmt.Errorf("a frame of %d bytes", length)
	}
	var mask [4]byte
	if second&0x80 != 0 {
		if _, err := io.ReadFull(reader, mask[:]); err != nil {
			return 0, nil, err
		}
	}
	if uint64(cap(buffer)) < length {
		buffer = make([]byte, length)
	}
	content = buffer[:length]
	if _, err := io.ReadFull(reader, content); err != nil {
		return 0, nil, err
	}
	if mask != [4]byte{} {
		unmask(content, mask)
	}
	return first & 0x0F, content, nil
}

func unmask(content []byte, mask [4]byte) {
	word := uint64(binary.LittleEndian.Uint32(mask[:]))
	word |= word << 32
	i := 0
	for ; i+8 <= len(content); i += 8 {
		binary.LittleEndian.PutUint64(content[i:], binary.LittleEndian.Uint64(content[i:])^word)
	}
	for ; i < len(content); i++ {
		content[i] ^= mask[i%4]
	}
}

// RecordBytes is the size of a record, which is 20 ms of audio.
const RecordBytes = 640

// A Record is what the benchmark sends as audio: whose it is, the how-manieth, when it was due, and whether the platform
// is to break the connection at it.
type Record struct {
	Session, Number uint64
	// In Unix nanoseconds: one clock, since both ends run on one machine.
	Due    int64
	Breaks bool
}

// Put writes a record in front of bytes that stay what they are.
func (r Record) Put(to []byte) {
	binary.LittleEndian.PutUint64(to, r.Session)
	binary.LittleEndian.PutUint64(to[8:], r.Number)
	binary.LittleEndian.PutUint64(to[16:], uint64(r.Due))
	to[24] = 0
	if r.Breaks {
		to[24] = 1
	}
}

// Get reads a record.
func Get(from []byte) Record {
	return Record{
		binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[8:]),
		int64(binary.LittleEndian.Uint64(from[16:])), from[24] == 1,
	}
}

// Has tells whether a JSON text has a text in it; the benchmark's own frames need no parser.
func Has(content []byte, text string) bool { return bytes.Contains(content, []byte(text)) }
