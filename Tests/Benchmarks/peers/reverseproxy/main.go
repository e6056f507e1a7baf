// The peer that a Go team would write in an afternoon: net/http/httputil's ReverseProxy, with fair settings.
//
// GOMAXPROCS (environment) is set to the gateway's number of loops.
package main

import (
	"flag"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// copyBuffers spares ReverseProxy an allocation of 32 KiB for every answer.
type copyBuffers struct{ pool sync.Pool }

func (b *copyBuffers) Get() []byte  { return b.pool.Get().([]byte) }
func (b *copyBuffers) Put(x []byte) { b.pool.Put(x) }

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	upstream := flag.String("upstream", "", "URL of the platform")
	flag.Parse()
	target, err := url.Parse(*upstream)
	if err != nil || target.Host == "" {
		log.Fatalf("bad -upstream %q", *upstream)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = &http.Transport{
		MaxIdleConns:        256,
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     time.Minute,
		DisableCompression:  true,
	}
	proxy.BufferPool = &copyBuffers{sync.Pool{New: func() any { return make([]byte, 32<<10) }}}
	proxy.ErrorLog = log.New(io.Discard, "", 0) // the load generator leaves at the end of every round
	log.Fatal(http.ListenAndServe(*listen, proxy))
}
