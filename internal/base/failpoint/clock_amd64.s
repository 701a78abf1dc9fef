//go:build failpoints

#include "textflag.h"

// func move()
TEXT ·move(SB),NOSPLIT,$0-0
	MOVQ runtime·vdsoClockgettimeSym(SB), AX
	MOVQ AX, ·original(SB)
	LEAQ moved<>(SB), AX
	MOVQ AX, runtime·vdsoClockgettimeSym(SB)
	RET

// moved is clock_gettime(DI, SI), as C calls it. It moves the clock with the number 0, that of the day.
TEXT moved<>(SB),NOSPLIT|NOFRAME,$0-0
	SUBQ $24, SP
	MOVQ DI, 0(SP)
	MOVQ SI, 8(SP)
	MOVQ ·original(SB), AX
	CALL AX
	MOVQ 0(SP), DI
	MOVQ 8(SP), SI
	ADDQ $24, SP
	CMPQ DI, $0
	JNE  done
	MOVQ ·ahead(SB), CX
	ADDQ CX, 0(SI)
done:
	RET
