// Interpreters: a small stack machine with jumps, variables and arithmetic.
// Every byte-code interpreter. A switch with a dozen cases inside a while, a stack in a local array, a program counter that
// jumps: control flow that is data.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

enum { HALT, PUSH, LOAD, STORE, ADD, SUB, MUL, LESS, JUMP, JUMP_ZERO, DUP, MOD };

// Returns the steps taken, or less than zero for an error.
LOOM_ACCEL int32_t stack_machine(const int16_t *code, int32_t length, int32_t *variable, int32_t limit)
{
    int32_t stack[16];
    int32_t top = 0, pc = 0, steps = 0;
    while (steps < limit) {
        if (pc < 0 || pc >= length)
            return -1;
        steps++;
        const int16_t op = code[pc++];
        int32_t a = 0, b = 0;
        switch (op) {
        case HALT:
            return steps;
        case PUSH:
            if (top == 16)
                return -2;
            stack[top++] = code[pc++];
            break;
        case LOAD:
            if (top == 16)
                return -2;
            stack[top++] = variable[code[pc++] & 7];
            break;
        case STORE:
            if (top < 1)
                return -3;
            variable[code[pc++] & 7] = stack[--top];
            break;
        case ADD:
        case SUB:
        case MUL:
        case LESS:
        case MOD:
            if (top < 2)
                return -3;
            b = stack[--top];
            a = stack[top - 1];
            if (op == ADD)
                a = (int32_t)((uint32_t)a + (uint32_t)b);
            else if (op == SUB)
                a = (int32_t)((uint32_t)a - (uint32_t)b);
            else if (op == MUL)
                a = (int32_t)((uint32_t)a * (uint32_t)b);
            else if (op == LESS)
                a = a < b;
            else if (b > 0)
                a %= b;
            else
                return -4;
            stack[top - 1] = a;
            break;
        case DUP:
            if (top < 1 || top == 16)
                return -3;
            stack[top] = stack[top - 1];
            top++;
            break;
        case JUMP:
            pc = code[pc];
            break;
        case JUMP_ZERO:
            if (top < 1)
                return -3;
            pc = stack[--top] == 0 ? code[pc] : pc + 1;
            break;
        default:
            return -5;
        }
    }
    return 0;
}

int main(void)
{
    // Sum of squares: while (0 < v0) { v1 += v0 * v0; v0 -= 1; }
    static const int16_t squares[] = {PUSH, 0, LOAD, 0, LESS, JUMP_ZERO, 22, LOAD, 1, LOAD, 0, DUP, MUL, ADD, STORE, 1,
                                      LOAD, 0, PUSH, 1, JUMP, 23, HALT, SUB, STORE, 0, JUMP, 0};
    // Greatest common divisor: while (0 < v1) { v2 = v0 mod v1; v0 = v1; v1 = v2; }
    static const int16_t gcd[] = {PUSH, 0, LOAD, 1, LESS, JUMP_ZERO, 22, LOAD, 0, LOAD, 1, MOD, STORE, 2, LOAD, 1, STORE, 0,
                                  LOAD, 2, JUMP, 23, HALT, STORE, 1, JUMP, 0};
    static const int16_t endless[] = {JUMP, 0}, deep[] = {PUSH, 1, JUMP, 0}, pop[] = {ADD}, wild[] = {JUMP, 99};
    static const int16_t zero[] = {PUSH, 5, PUSH, 0, MOD}, unknown[] = {77};
    int32_t v[8];
    int bad = 0, calls = 0, steps = 0;
    for (int32_t n = 0; n <= 60; n += n < 3 ? 1 : 19, calls++) {
        v[0] = n;
        v[1] = 0;
        steps += stack_machine(squares, 28, v, 100000);
        bad += v[1] != n * (n + 1) * (2 * n + 1) / 6 || v[0] != 0;
    }
    for (int32_t a = 1; a < 2000; a = a * 3 + 5, calls++) {
        const int32_t common = a % 12 + 1;
        // Neighbours have no common divisor, so their multiples have this one.
        v[0] = common * a;
        v[1] = common * (a + 1);
        steps += stack_machine(gcd, 27, v, 100000);
        bad += v[0] != common;
    }
    bad += stack_machine(endless, 2, v, 1000) != 0;
    bad += stack_machine(deep, 4, v, 1000) != -2;
    bad += stack_machine(pop, 1, v, 10) != -3;
    bad += stack_machine(zero, 5, v, 10) != -4;
    bad += stack_machine(unknown, 1, v, 10) != -5;
    bad += stack_machine(wild, 2, v, 10) != -1;
    bad += stack_machine(pop, 0, v, 10) != -1;
    bad += stack_machine(pop, 1, v, 0) != 0;
    printf("stack_machine: %d programs, %d steps, %d wrong\n", calls + 8, steps, bad);
    return bad != 0;
}
