package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.OrderedExecutorsEndpointWebExtension.RefusalDescriptor;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Refuses write requests with unknown fields. Spring Boot would ignore these fields. */
final class UnknownFieldsAdvisor implements OperationInvokerAdvisor {
    private static final EndpointId ENDPOINT = EndpointId.of("orderedexecutors");

    @Override
    public OperationInvoker apply(
            EndpointId endpointId,
            OperationType operationType,
            OperationParameters parameters,
            OperationInvoker invoker) {
        if (operationType != OperationType.WRITE || !endpointId.equals(ENDPOINT)) {
            return invoker;
        }
        List<String> known = parameters.stream()
                .filter(parameter -> parameter.getType() != SecurityContext.class)
                .map(OperationParameter::getName)
                .toList();
        String fields = parameters.stream()
                .filter(parameter -> known.contains(parameter.getName()))
                .filter(parameter -> parameter.getAnnotation(Selector.class) == null)
                .map(OperationParameter::getName)
                .collect(Collectors.joining(", "));
        return context -> {
            TreeSet<String> unknown = new TreeSet<>(context.getArguments().keySet());
            known.forEach(unknown::remove);
            return unknown.isEmpty()
                    ? invoker.invoke(context)
                    : new WebEndpointResponse<>(
                            new RefusalDescriptor("There is no '" + unknown.first() + "'; the fields are " + fields),
                            WebEndpointResponse.STATUS_BAD_REQUEST);
        };
    }
}
