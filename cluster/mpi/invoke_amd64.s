//go:build linux

#include "textflag.h"

// invoke is a C function. DI points to an invocation: the function, its arguments, and the result.
TEXT invoke<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	PUSHQ BX
	SUBQ  $24, SP // keeps the stack aligned to 16 bytes
	MOVQ  DI, BX
	MOVQ  56(BX), AX
	MOVQ  AX, 0(SP)
	MOVQ  8(BX), DI
	MOVQ  16(BX), SI
	MOVQ  24(BX), DX
	MOVQ  32(BX), CX
	MOVQ  40(BX), R8
	MOVQ  48(BX), R9
	MOVQ  0(BX), R11
	XORL  AX, AX
	CALL  R11
	MOVQ  AX, 64(BX)
	ADDQ  $24, SP
	POPQ  BX
	POPQ  BP
	RET

// func runShort(function uintptr, argument unsafe.Pointer)
TEXT ·runShort(SB), NOSPLIT, $24-16
	MOVQ function+0(FP), AX
	MOVQ argument+8(FP), BX
	MOVQ AX, 0(SP)
	MOVQ BX, 8(SP)
	CALL runtime·asmcgocall(SB)
	RET

DATA ·invokeAddress(SB)/8, $invoke<>(SB)
GLOBL ·invokeAddress(SB), NOPTR|RODATA, $8
