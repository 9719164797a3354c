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
 * Writes an animated GIF frame by frame. It plays again from the start when it is over. Used by one thread at a time.
 */
final class GifWriter implements AutoCloseable {
    private static final String FORMAT = "javax_imageio_gif_image_1.0";
    private static final byte[] FOREVER = {1, 0, 0};

    private final ImageWriter writer =
            ImageIO.getImageWritersByFormatName("gif").next();
    private final OutputStream sink;
    private final ImageOutputStream stream;
    private final Duration delay;

    /**
     * Begins the animation.
     *
     * @param sink where it is sent; not closed
     * @param delay how long each frame is shown, rounded down to hundredths of a second
     */
    GifWriter(OutputStream sink, Duration delay) throws IOException {
        this.sink = sink;
        this.stream = new MemoryCacheImageOutputStream(sink);
        this.delay = delay;
        writer.setOutput(stream);
        writer.prepareWriteSequence(null);
    }

    /** Sends the next frame. */
    void write(BufferedImage frame) throws IOException {
        // createFromRenderedImage would forget the colors
        IIOMetadata metadata =
                writer.getDefaultImageMetadata(new ImageTypeSpecifier(frame), writer.getDefaultWriteParam());
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
        loop.setUserObject(FOREVER.clone());
        child(root, "ApplicationExtensions").appendChild(loop);
        metadata.setFromTree(FORMAT, root);
        writer.writeToSequence(new IIOImage(frame, null, metadata), writer.getDefaultWriteParam());
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

    /** Ends the animation: the GIF is complete only then. */
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
