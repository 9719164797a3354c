package io.orderedexecutor.sample.animation;

import java.awt.image.BufferedImage;
import java.awt.image.WritableRaster;

/**
 * What is on each frame: a Julia set that changes, and a bar at the bottom that grows. The bar tells which frame it is,
 * so that one in the wrong place would be seen.
 *
 * @param frames how many frames there are
 * @param slow the frame that takes very long to render; none if negative
 */
record Animation(int frames, int slow) {
    static final int BAR_HEIGHT = 4;

    private static final double RADIUS = 0.7885;
    private static final int BAR_COLOR = 255;

    /** Renders a frame. Thread-safe; it takes some milliseconds, the slow one about a second. */
    BufferedImage render(int frame) {
        double angle = 2 * Math.PI * frame / frames;
        JuliaSet set = new JuliaSet(RADIUS * Math.cos(angle), RADIUS * Math.sin(angle));
        BufferedImage image = set.render(frame == slow ? 12 : 1);
        drawBar(image.getRaster(), barWidth(frame));
        return image;
    }

    int barWidth(int frame) {
        return JuliaSet.WIDTH * (frame + 1) / frames;
    }

    private static void drawBar(WritableRaster image, int width) {
        for (int y = JuliaSet.HEIGHT - BAR_HEIGHT; y < JuliaSet.HEIGHT; y++) {
            for (int x = 0; x < JuliaSet.WIDTH; x++) {
                image.setSample(x, y, 0, x < width ? BAR_COLOR : 0);
            }
        }
    }
}
