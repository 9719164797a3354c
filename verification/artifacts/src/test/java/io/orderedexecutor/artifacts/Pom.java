package io.orderedexecutor.artifacts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** An XML file, asked by XPath without regard to namespaces. */
record Pom(Path file, Node node) {

    static Pom read(Path file) {
        try {
            return new Pom(
                    file,
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()));
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read; the release build makes it", e);
        } catch (SAXException | ParserConfigurationException e) {
            throw new IllegalStateException(file.toString(), e);
        }
    }

    /** The text at a path; empty if there is none. */
    String text(String path) {
        try {
            return XPathFactory.newInstance().newXPath().evaluate(path, node).strip();
        } catch (XPathExpressionException e) {
            throw new IllegalArgumentException(path, e);
        }
    }

    List<Pom> all(String path) {
        try {
            NodeList nodes =
                    (NodeList) XPathFactory.newInstance().newXPath().evaluate(path, node, XPathConstants.NODESET);
            return IntStream.range(0, nodes.getLength())
                    .mapToObj(i -> new Pom(file, nodes.item(i)))
                    .toList();
        } catch (XPathExpressionException e) {
            throw new IllegalArgumentException(path, e);
        }
    }

    String content() {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
