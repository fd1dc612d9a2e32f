/* Byte pair encoding in C, and the conformance kit's protocol of numbers.
 *
 * Run it: cc -O2 -o bpe bpe.c && bpe-teach conform --numbers -- ./bpe
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16 };

static int items[MOST], left[MOST], right[MOST];
static int num_items, num_merges;

/* Read the numbers of a line; return how many. */
static int read_numbers(char *rest, int *numbers) {
    int count = 0;
    for (char *end; count < MOST; rest = end) {
        long number = strtol(rest, &end, 10);
        if (end == rest) break;
        numbers[count++] = (int)number;
    }
    return count;
}

/* Replace a pair by a new id, from left to right. */
static void merge(int a, int b, int new_id) {
    int kept = 0;
    for (int i = 0; i < num_items; i++) {
        if (i + 1 < num_items && items[i] == a && items[i + 1] == b) {
            items[kept++] = new_id;
            i++;
        } else {
            items[kept++] = items[i];
        }
    }
    num_items = kept;
}

/* Learn at most so many merges, each of a most frequent pair. */
static void train(int wanted) {
    for (num_merges = 0; num_merges < wanted; num_merges++) {
        int most = 0, best = 0;
        for (int i = 0; i + 1 < num_items; i++) {
            int count = 0;
            for (int j = 0; j + 1 < num_items; j++)
                count += items[j] == items[i] && items[j + 1] == items[i + 1];
            if (count > most) {
                most = count;
                best = i;
            }
        }
        if (most == 0) break;
        left[num_merges] = items[best];
        right[num_merges] = items[best + 1];
        merge(left[num_merges], right[num_merges], 256 + num_merges);
    }
}

/* Merge the pair of lowest rank, the leftmost of equals, until no pair has a rank. */
static void encode(void) {
    for (;;) {
        int lowest = num_merges, place = 0;
        for (int i = 0; i + 1 < num_items; i++)
            for (int rank = 0; rank < lowest; rank++)
                if (items[i] == left[rank] && items[i + 1] == right[rank]) {
                    lowest = rank;
                    place = i;
                }
        if (lowest == num_merges) return;
        items[place] = 256 + lowest;
        num_items--;
        memmove(items + place + 1, items + place + 2, (num_items - place - 1) * sizeof(int));
    }
}

/* Print the bytes of an id. */
static void print_bytes(int id) {
    if (id < 256) {
        printf("%d ", id);
        return;
    }
    print_bytes(left[id - 256]);
    print_bytes(right[id - 256]);
}

/* Take the merges that were learned last as those that are used, or keep those that are used. */
static int own_left[MOST], own_right[MOST], num_own;

static void use_own(void) {
    num_merges = num_own;
    memcpy(left, own_left, sizeof left);
    memcpy(right, own_right, sizeof right);
}

static void keep_own(void) {
    num_own = num_merges;
    memcpy(own_left, left, sizeof left);
    memcpy(own_right, right, sizeof right);
}

int main(void) {
    static char line[1 << 20];
    static int numbers[MOST];
    while (fgets(line, sizeof line, stdin)) {
        char what[16] = "";
        int used = 0;
        sscanf(line, "%15s%n", what, &used);
        int is_own = strstr(what, "_own") != NULL; /* it is asked with what it has learned */
        if (!is_own) {
            int more = 0;
            sscanf(line + used, "%d%n", &num_merges, &more);
            used += more;
        }
        int count = read_numbers(line + used, numbers);
        int is_training = strcmp(what, "train") == 0;
        int given = is_training || is_own ? 0 : num_merges;
        for (int rank = 0; rank < given; rank++) {
            left[rank] = numbers[2 * rank];
            right[rank] = numbers[2 * rank + 1];
        }
        num_items = count - 2 * given;
        memcpy(items, numbers + 2 * given, num_items * sizeof(int));
        if (is_own) use_own();
        if (is_training) {
            train(num_merges);
            keep_own();
            for (int rank = 0; rank < num_merges; rank++) printf("%d %d ", left[rank], right[rank]);
        } else if (strncmp(what, "encode", 6) == 0) {
            encode();
            for (int i = 0; i < num_items; i++) printf("%d ", items[i]);
        } else {
            int unknown = 0;
            for (int i = 0; i < num_items; i++)
                if (items[i] < 0 || items[i] >= 256 + num_merges) unknown = 1;
            if (unknown) printf("error: there is no such id");
            for (int i = 0; i < num_items && !unknown; i++) print_bytes(items[i]);
        }
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
