package io.orderedexecutor.sample.animation;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * An animated GIF that is sent picture by picture, and plays again from the start when it is over. Used by one thread
 * at a time.
 */
final class GifStream implements AutoCloseable {
    private static final String FORMAT = "javax_imageio_gif_image_1.0";
    private static final byte[] FOR_EVER = {1, 0, 0};

    private final ImageWriter writer =
            ImageIO.getImageWritersByFormatName("gif").next();
    private final OutputStream sink;
    private final ImageOutputStream stream;
    private final Duration delay;

    /**
     * Begins a film.
     *
     * @param sink where it is sent; not closed
     * @param delay how long each picture is shown, in hundredths of a second
     */
    GifStream(OutputStream sink, Duration delay) throws IOException {
        this.sink = sink;
        this.stream = new MemoryCacheImageOutputStream(sink);
        this.delay = delay;
        writer.setOutput(stream);
        writer.prepareWriteSequence(null);
    }

    /** Sends the next picture. */
    void write(BufferedImage picture) throws IOException {
        // createFromRenderedImage would forget the colors
        IIOMetadata metadata =
                writer.getDefaultImageMetadata(new ImageTypeSpecifier(picture), writer.getDefaultWriteParam());
        IIOMetadataNode root = (IIOMetadataNode) metadata.getAsTree(FORMAT);
        IIOMetadataNode control = child(root, "GraphicControlExtension");
        control.setAttribute("disposalMethod", "none");
        control.setAttribute("userInputFlag", "FALSE");
        control.setAttribute("transparentColorFlag", "FALSE");
        control.setAttribute("transparentColorIndex", "0");
        control.setAttribute("delayTime", String.valueOf(delay.toMillis() / 10));
        IIOMetadataNode loop = new IIOMetadataNode("ApplicationExtension");
        loop.setAttribute("applicationID", "NETSCAPE");
        loop.setAttribute("authenticationCode", "2.0");
        loop.setUserObject(FOR_EVER.clone());
        child(root, "ApplicationExtensions").appendChild(loop);
        metadata.setFromTree(FORMAT, root);
        writer.writeToSequence(new IIOImage(picture, null, metadata), writer.getDefaultWriteParam());
        send();
    }

    private static IIOMetadataNode child(IIOMetadataNode parent, String name) {
        for (int i = 0; i < parent.getLength(); i++) {
            if (parent.item(i).getNodeName().equals(name)) {
                return (IIOMetadataNode) parent.item(i);
            }
        }
        IIOMetadataNode added = new IIOMetadataNode(name);
        parent.appendChild(added);
        return added;
    }

    private void send() throws IOException {
        stream.flushBefore(stream.getStreamPosition());
        sink.flush();
    }

    /** Ends the film; what was written is complete only then. */
    void end() throws IOException {
        writer.endWriteSequence();
        send();
    }

    /** Frees what is in memory. */
    @Override
    public void close() {
        writer.dispose();
    }
}
