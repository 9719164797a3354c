/** The example of README.md, in a package of its own: the sample application does not find its beans. */
@NullMarked
package com.example.bank;

import org.jspecify.annotations.NullMarked;
