package io.orderedexecutor.sample.transfers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.request;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.orderedexecutor.sample.SimulatedDatabase;
import io.orderedexecutor.test.SteppedExecutor;
import io.orderedexecutor.test.spring.AutoConfigureOrderedExecutors;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;

/** In a slice, which has no ordered executors of its own, calls run in order all the same, when the test says so. */
@WebMvcTest(TransfersController.class)
@Import({Transfers.class, SimulatedDatabase.class})
@AutoConfigureOrderedExecutors(calls = AutoConfigureOrderedExecutors.Calls.STEPPED)
class TransfersSliceTest {
    @Autowired
    private MockMvc mvc;

    @Autowired
    private SteppedExecutor stepped;

    @Test
    void aStatementIsAnsweredAfterTheTransferBeforeIt() throws Exception {
        MvcResult transfer = mvc.perform(post("/transfers?from=alice&to=bob&amount=1"))
                .andExpect(request().asyncStarted())
                .andReturn();
        MvcResult statement = mvc.perform(get("/savings/alice"))
                .andExpect(request().asyncStarted())
                .andReturn();
        assertThat(stepped.pending()).as("the statement waits for the transfer").isEqualTo(1);
        stepped.runAll();
        mvc.perform(asyncDispatch(transfer)).andExpect(status().isOk());
        mvc.perform(asyncDispatch(statement))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.balance").value(Transfers.INITIAL_BALANCE - 1));
    }
}
