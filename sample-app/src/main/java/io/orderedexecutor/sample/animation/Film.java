package io.orderedexecutor.sample.animation;

import java.awt.image.BufferedImage;
import java.awt.image.WritableRaster;

/**
 * What is on each picture of a film: c goes once around zero, and a bar at the bottom grows. The bar tells which
 * picture it is, so that one in the wrong place would be seen.
 *
 * @param frames how many pictures there are
 * @param slow which one takes very long to draw; negative if none does
 */
record Film(int frames, int slow) {
    static final int BAR_HEIGHT = 4;

    private static final double RADIUS = 0.7885;
    private static final int BAR_COLOR = 255;

    /** Draws one picture. Thread-safe; it takes some milliseconds, the slow one about a second. */
    BufferedImage draw(int frame) {
        double angle = 2 * Math.PI * frame / frames;
        JuliaSet set = new JuliaSet(RADIUS * Math.cos(angle), RADIUS * Math.sin(angle));
        BufferedImage picture = set.draw(frame == slow ? 12 : 1);
        drawBar(picture.getRaster(), barWidth(frame));
        return picture;
    }

    int barWidth(int frame) {
        return JuliaSet.WIDTH * (frame + 1) / frames;
    }

    private static void drawBar(WritableRaster picture, int width) {
        for (int y = JuliaSet.HEIGHT - BAR_HEIGHT; y < JuliaSet.HEIGHT; y++) {
            for (int x = 0; x < JuliaSet.WIDTH; x++) {
                picture.setSample(x, y, 0, x < width ? BAR_COLOR : 0);
            }
        }
    }
}
