//go:build linux

#include "textflag.h"

// invoke is a C function. R0 points to an invocation: the function, its arguments, and the result.
TEXT invoke<>(SB), NOSPLIT|NOFRAME, $0
	STP.W (R29, R30), -32(RSP)
	MOVD  R19, 16(RSP)
	MOVD  R0, R19
	MOVD  0(R19), R9
	LDP   8(R19), (R0, R1)
	LDP   24(R19), (R2, R3)
	LDP   40(R19), (R4, R5)
	MOVD  56(R19), R6
	CALL  (R9)
	MOVD  R0, 64(R19)
	MOVD  16(RSP), R19
	LDP.P 32(RSP), (R29, R30)
	RET

// func runShort(function uintptr, argument unsafe.Pointer)
TEXT ·runShort(SB), NOSPLIT, $24-16
	MOVD function+0(FP), R0
	MOVD argument+8(FP), R1
	MOVD R0, 8(RSP)
	MOVD R1, 16(RSP)
	CALL runtime·asmcgocall(SB)
	RET

DATA ·invokeAddress(SB)/8, $invoke<>(SB)
GLOBL ·invokeAddress(SB), NOPTR|RODATA, $8
