<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Reads and fills heaps, because PHP's serializer loses the elements of a heap. */
final class Heap
{
    /**
     * @param \SplHeap<mixed>|\SplPriorityQueue<mixed, mixed> $heap
     * @return list<mixed>
     */
    public static function elements(\SplHeap|\SplPriorityQueue $heap): array
    {
        $copy = clone $heap;
        if ($copy instanceof \SplPriorityQueue) {
            $copy->setExtractFlags(\SplPriorityQueue::EXTR_BOTH);
        }
        return iterator_to_array($copy, false);
    }

    /**
     * @param \SplHeap<mixed>|\SplPriorityQueue<mixed, mixed> $heap
     * @param list<mixed> $elements
     */
    public static function fill(\SplHeap|\SplPriorityQueue $heap, array $elements): void
    {
        /* the class of $heap may override insert() */
        $insert = new \ReflectionMethod($heap instanceof \SplHeap ? \SplHeap::class : \SplPriorityQueue::class, 'insert');
        foreach ($elements as $element) {
            if ($heap instanceof \SplHeap) {
                $insert->invoke($heap, $element);
            } else {
                \assert(\is_array($element));
                $insert->invoke($heap, $element['data'], $element['priority']);
            }
        }
    }
}
