package com.example.bank;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import org.springframework.boot.CommandLineRunner;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;

@Service
class Bank {

    @OrderedAsync(stripe = "#account")
    public void book(String account, int amount) throws InterruptedException {
        Thread.sleep(amount); // a large amount takes longer
        System.out.println(account + " " + amount);
    }

    @OrderedAsync(groups = "{#from, #to}")
    public void transfer(String from, String to, int amount) {
        System.out.println(from + " to " + to + " " + amount);
    }
}

@Component
class Customers implements CommandLineRunner {
    private final Bank bank;

    Customers(Bank bank) {
        this.bank = bank;
    }

    @Override
    public void run(String... arguments) throws Exception {
        bank.book("alice", 500);
        bank.book("alice", 20); // waits for the 500
        bank.book("bob", 100); // runs beside alice's
        bank.transfer("alice", "bob", 50); // waits for both
    }
}
