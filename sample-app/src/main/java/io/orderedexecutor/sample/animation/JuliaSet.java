package io.orderedexecutor.sample.animation;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;

/**
 * The Julia set of z² + c: each point of the plane has the color of how soon it escapes.
 *
 * @param real the real part of c
 * @param imaginary the imaginary part of c
 */
record JuliaSet(double real, double imaginary) {
    static final int WIDTH = 320;
    static final int HEIGHT = 240;

    private static final int COLORS = 256;
    private static final double SCALE = 3.0 / WIDTH;
    private static final IndexColorModel PALETTE = palette();

    /**
     * Renders it.
     *
     * @param detail how many points are looked at for each pixel, in each direction: twice as many take four times as
     *     long
     */
    BufferedImage render(int detail) {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_BYTE_INDEXED, PALETTE);
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                image.getRaster().setSample(x, y, 0, color(x, y, detail));
            }
        }
        return image;
    }

    private int color(int x, int y, int detail) {
        int sum = 0;
        for (int i = 0; i < detail; i++) {
            for (int j = 0; j < detail; j++) {
                double dx = (i + 0.5) / detail;
                double dy = (j + 0.5) / detail;
                sum += escape((x + dx - WIDTH / 2.0) * SCALE, (y + dy - HEIGHT / 2.0) * SCALE);
            }
        }
        return sum / (detail * detail);
    }

    private int escape(double x, double y) {
        double re = x;
        double im = y;
        int steps = 0;
        while (steps < COLORS - 1 && re * re + im * im < 4) {
            double next = re * re - im * im + real;
            im = 2 * re * im + imaginary;
            re = next;
            steps++;
        }
        return steps;
    }

    private static IndexColorModel palette() {
        byte[] red = new byte[COLORS];
        byte[] green = new byte[COLORS];
        byte[] blue = new byte[COLORS];
        for (int i = 0; i < COLORS; i++) {
            double share = Math.sqrt(i / (COLORS - 1.0));
            red[i] = (byte) (255 * share);
            green[i] = (byte) (255 * share * share);
            blue[i] = (byte) (255 * Math.min(1, 4 * share * (1 - share) + share * share * share));
        }
        return new IndexColorModel(8, COLORS, red, green, blue);
    }
}
