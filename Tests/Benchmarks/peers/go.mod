module speechgate/benchmarks/peers

go 1.19
