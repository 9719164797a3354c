package com.example.consumer;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

@Service
class Bookings {
    private int booked;

    /** Returns how many orders were booked; there is one customer, so that order protects the count. */
    @OrderedAsync(stripe = "#customer", executor = "orders")
    public CompletableFuture<Integer> book(String customer) {
        return CompletableFuture.completedFuture(++booked);
    }
}
