module product

go 1.24

require github.com/tuneinsight/lattigo/v6 v6.1.1
